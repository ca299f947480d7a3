import { expect, test } from "vitest";
import { renderMarkdown } from "./render-markdown.ts";

test("headings have ids of their own", () => {
  expect(renderMarkdown("# One *two*\n## One_two!\n### \u00e9\n")).toBe(
    '<h1 id="one-two">One <em>two</em></h1>\n<h2 id="one-two-1">One_two!</h2>\n<h3 id="heading">\u00e9</h3>\n',
  );
});

const item = (number: number, text: string, ...references: string[]) =>
  `<li id="fn:${number}">\n<p>${text}${references.map((id) => `&#160;<a href="#${id}" class="footnote-backref" role="doc-backlink">&#x21a9;&#xfe0e;</a>`).join("")}</p>\n</li>\n`;
const reference = (number: number, id = `fnref:${number}`) =>
  `<sup id="${id}"><a href="#fn:${number}" class="footnote-ref" role="doc-noteref">${number}</a></sup>`;
const section = (...items: string[]) =>
  `<div class="footnotes" role="doc-endnotes">\n<hr>\n<ol>\n${items.join("")}</ol>\n</div>\n`;

// Goldmark, which the model uses, writes the same.
test.each([
  ["a[^1]\n\n[^1]: note", `<p>a${reference(1)}</p>\n${section(item(1, "note", "fnref:1"))}`],
  [
    "[^b]: two\n[^a]: *one*\n\nx[^a] y[^b] z[^a]",
    `<p>x${reference(1)} y${reference(2)} z${reference(1, "fnref1:1")}</p>\n${section(item(1, "<em>one</em>", "fnref:1", "fnref1:1"), item(2, "two", "fnref:2"))}`,
  ],
  ["a[^none] [^x]", "<p>a[^none] [^x]</p>\n"],
  ["text\n\n[^unused]: note", "<p>text</p>\n"],
  [
    "a[^1]\n\n[^1]: one\n    two\n\nafter",
    `<p>a${reference(1)}</p>\n<p>after</p>\n${section(item(1, "one\ntwo", "fnref:1"))}`,
  ],
])("footnotes of %j", (source, html) => {
  expect(renderMarkdown(source)).toBe(html);
});

test("a note of several paragraphs ends with the link back", () => {
  const html = renderMarkdown("a[^1]\n\n[^1]: one\n\n    two\n");
  expect(html).toContain('<li id="fn:1">\n<p>one</p>\n<p>two&#160;<a href="#fnref:1"');
});
