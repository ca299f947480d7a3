import { describe, expect, it } from "vitest";
import { stringTag } from "wire/api-v2";
import { parseAgentTags } from "./agent-tags.ts";

const environment = { HOST: "h1", EMPTY: "" };
/** Put together from two parts, as it would otherwise look like a template. */
const variable = (text: string) => `$${text}`;

describe("parseAgentTags", () => {
  it.each([
    [
      ["a=1", " b = two words "],
      [stringTag("a", "1"), stringTag("b", "two words")],
    ],
    [["a=b=c"], [stringTag("a", "b=c")]],
    [["a="], [stringTag("a", "")]],
    [[`h=${variable("{HOST}")}`], [stringTag("h", "h1")]],
    [[`h=${variable("{HOST:other}")}`], [stringTag("h", "h1")]],
    [[`h=${variable("{NONE:other}")}`], [stringTag("h", "other")]],
    [[`h=${variable("{EMPTY:other}")}`], [stringTag("h", "other")]],
    [[`h=${variable("{NONE}")}`], [stringTag("h", "")]],
    [[], []],
  ])("reads %j", (parts, tags) => {
    expect(parseAgentTags(parts, environment)).toEqual(tags);
  });

  it.each(["a", "=b", ""])("refuses %j", (part) => {
    expect(() => parseAgentTags([part], environment)).toThrow(
      `option --agent.tags: "${part}" is not key=value`,
    );
  });
});
