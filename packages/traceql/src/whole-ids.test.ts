import { describe, expect, test } from "vitest";
import { parseTraceQl } from "./parse-traceql.ts";
import { printTraceQl } from "./print-traceql.ts";

const zeros = "0".repeat(16);

describe("ids in comparisons", () => {
  test.each([
    [
      "16 digits of a trace",
      '{ trace:id = "a1a2a3a4a5a6a7a8" }',
      `{ trace:id = "${zeros}a1a2a3a4a5a6a7a8" }`,
    ],
    ["no leading zeros", '{ trace:id = "abc" }', `{ trace:id = "${"0".repeat(29)}abc" }`],
    ["too many zeros", `{ trace:id = "${"0".repeat(40)}abc" }`, `{ trace:id = "${"0".repeat(29)}abc" }`],
    ["upper case", '{ span:id != "ABCDEF0123456789" }', '{ span:id != "abcdef0123456789" }'],
    ["the id on the left", '{ "AB" = span:parentID }', '{ "00000000000000ab" = span:parentID }'],
    [
      "a link",
      '{ link:spanID = "A" && link:traceID = "B" }',
      `{ link:spanID = "000000000000000a" && link:traceID = "${"0".repeat(31)}b" }`,
    ],
  ])("%s", (_, written, whole) => {
    expect(parseTraceQl(written)).toEqual(parseTraceQl(whole));
  });

  test.each([
    ["no digits: a root has no parent", '{ span:parentID = "" }'],
    ["no hex digits", '{ span:id = "not an id" }'],
    ["more digits than an id has", `{ span:id = "${"1".repeat(17)}" }`],
    ["a regular expression is matched with the whole id", '{ span:id =~ "AB" }'],
    ["an attribute is text", '{ span.id = "AB" }'],
  ])("%s", (_, written) => {
    expect(printTraceQl(parseTraceQl(written))).toBe(
      printTraceQl(parseTraceQl(printTraceQl(parseTraceQl(written)))),
    );
    expect(printTraceQl(parseTraceQl(written))).toContain(/"(.*)"/.exec(written)?.[1] ?? "?");
  });
});
