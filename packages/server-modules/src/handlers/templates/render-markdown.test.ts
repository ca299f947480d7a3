import { expect, test } from "vitest";
import { renderMarkdown } from "./render-markdown.ts";

test("headings have ids of their own", () => {
  expect(renderMarkdown("# One *two*\n## One_two!\n### \u00e9\n")).toBe(
    '<h1 id="one-two">One <em>two</em></h1>\n<h2 id="one-two-1">One_two!</h2>\n<h3 id="heading">\u00e9</h3>\n',
  );
});
