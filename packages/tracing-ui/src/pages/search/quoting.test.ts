import { expect, test } from "vitest";
import { parseTagText, tagText } from "../../searches/tag-text.ts";
import { fieldsOfTraceQl, traceQlOfFields } from "./traceql-fields.ts";

/** Values from public bug reports: a search lost each of them, or parsed it as syntax. */
const values = [
  "#v#",
  "&v&",
  "+v+",
  "?v?",
  "a b",
  'say "x"',
  "App\\new\\Quotes",
  "two\nlines",
  "\\",
  "\\n",
  "{x",
  "a/b",
];

test.each(values)("%j is the same after a way through tags and TraceQL", (value) => {
  const tags = tagText({ [value]: value });
  expect(tags).not.toContain("\n");
  expect(parseTagText(tags)).toEqual({ ok: true, tags: { [value]: value } });
  const q = traceQlOfFields({ service: value, operation: value, tags });
  expect(q).not.toContain("\n");
  expect(fieldsOfTraceQl(q)).toMatchObject({ service: value, operation: value });
  expect(parseTagText(fieldsOfTraceQl(q)?.tags ?? "")).toEqual({ ok: true, tags: { [value]: value } });
});
