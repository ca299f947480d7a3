import { readFileSync } from "node:fs";
import { buildParser } from "@lezer/generator";
import { expect, test } from "vitest";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const parser = buildParser(read("./traceql.grammar"));

test("every query of the documentation is read without a fault", () => {
  const blocks = [...read("../../../../../../docs/traceql.md").matchAll(/```traceql\n([\s\S]*?)```/g)];
  const queries = blocks.flatMap(([, block = ""]) => block.split("\n").filter((line) => line !== ""));
  expect(queries.length).toBeGreaterThan(10);
  expect(queries.filter((query) => String(parser.parse(query)).includes("⚠"))).toEqual([]);
});

test.each([
  ['{ span.a-b = "x" }', 'SpanSet("{",Attribute,Operator,String,"}")'],
  [
    "{ .5 < 1.5s || span:duration > 2 }",
    'SpanSet("{",Number,Operator,Number,Operator,Intrinsic,Operator,Number,"}")',
  ],
  ["{ }\n| count() > 2", 'SpanSet("{","}"),Pipe,Call(Function,Parens("(",")")),Operator,Number'],
  ["{ status = error", 'SpanSet("{",Name,Operator,Keyword,⚠)'],
])("%j", (text, tree) => {
  expect(String(parser.parse(text))).toBe(`Query(${tree})`);
});
