import { describe, expect, test } from "vitest";
import { parseTags } from "./parse-tags.ts";

const environment = { HOST: "h1", EMPTY: "" };
/** Built from two parts, because the linter would take one text for a template. */
const variable = (text: string) => `$${text}`;

describe("parseTags", () => {
  test.each([
    [
      ["a=1", " b = two words "],
      [
        ["a", "1"],
        ["b", "two words"],
      ],
    ],
    [["a=b=c"], [["a", "b=c"]]],
    [["a="], [["a", ""]]],
    [[`h=${variable("{HOST}")}`], [["h", "h1"]]],
    [[`h=${variable("{HOST:other}")}`], [["h", "h1"]]],
    [[`h=${variable("{NONE:other}")}`], [["h", "other"]]],
    [[`h=${variable("{EMPTY:other}")}`], [["h", "other"]]],
    [[`h=${variable("{NONE}")}`], [["h", ""]]],
    [[], []],
  ])("reads %j", (parts, tags) => {
    expect(parseTags(parts, environment, "x.tags")).toEqual(tags);
  });

  test.each(["a", "=b", "", " =b"])("refuses %j", (part) => {
    expect(() => parseTags([part], environment, "x.tags")).toThrow(
      `option --x.tags: "${part}" is not key=value`,
    );
  });
});
