import { readFileSync } from "node:fs";
import { StringStream } from "@codemirror/language";
import { expect, test } from "vitest";
import { nextToken, type TokenState } from "./traceql-language.ts";

/** Tokens of a text as `kind:text`, line by line; space is left out. */
function tokensOf(text: string): string[] {
  const state: TokenState = { quote: "" };
  const found: string[] = [];
  for (const line of text.split("\n")) {
    const stream = new StringStream(line, 2, 2);
    while (!stream.eol()) {
      stream.start = stream.pos;
      const kind = nextToken(stream, state);
      expect(stream.pos, `no letter is read of ${JSON.stringify(line)}`).toBeGreaterThan(stream.start);
      if (stream.current().trim() !== "") {
        found.push(`${kind}:${stream.current()}`);
      }
    }
  }
  return found;
}

test("every token of the documentation's queries has a colour", () => {
  const docs = readFileSync(new URL("../../../../../../docs/traceql.md", import.meta.url), "utf8");
  const blocks = [...docs.matchAll(/```traceql\n([\s\S]*?)```/g)];
  const queries = blocks.flatMap(([, block = ""]) => block.split("\n").filter((line) => line !== ""));
  expect(queries.length).toBeGreaterThan(10);
  expect(queries.filter((query) => tokensOf(query).some((token) => token.startsWith("undefined")))).toEqual(
    [],
  );
});

test.each([
  ['{ span.a-b = "x" }', 'bracket:{ attribute:span.a-b operator:= string:"x" bracket:}'],
  ['{ span."a b" = 1 }', 'bracket:{ attribute:span."a b" operator:= number:1 bracket:}'],
  [
    "{ .5 < 1.5s || span:duration > 2 }",
    "bracket:{ number:.5 operator:< number:1.5s operator:|| intrinsic:span:duration operator:> number:2 bracket:}",
  ],
  [
    "{ }\n| count() > 2",
    "bracket:{ bracket:} operator:| function:count bracket:( bracket:) operator:> number:2",
  ],
  ["{ status = error", "bracket:{ intrinsic:status operator:= keyword:error"],
  ['{ name =~ "a\\"b', 'bracket:{ intrinsic:name operator:=~ string:"a\\"b'],
  ["{ name = `a\nb` }", "bracket:{ intrinsic:name operator:= string:`a string:b` bracket:}"],
  ['{ name = "a\\', 'bracket:{ intrinsic:name operator:= string:"a\\'],
  ["{ größe = 1 ; }", "bracket:{ intrinsic:größe operator:= number:1 undefined:; bracket:}"],
])("%j", (text, tokens) => {
  expect(tokensOf(text).join(" ")).toBe(tokens);
});
