import { expect, test } from "vitest";
import { handlerExamples } from "./handler-examples.ts";

test("A section for each handler, without its heading and what stands above all", () => {
  const examples = handlerExamples(
    "# Examples\n\nAll.\n\n## one\n\nFirst.\n\n### More\n\n## two\n\nSecond.\n",
  );
  expect([...examples]).toEqual([
    ["http.handlers.one", "First.\n\n### More"],
    ["http.handlers.two", "Second."],
  ]);
});
