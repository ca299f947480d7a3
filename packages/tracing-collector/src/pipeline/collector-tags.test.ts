import { describe, expect, test } from "vitest";
import type { Span } from "wire/model";
import { rowsOf, spanOf, spansOf } from "../../test/span-rows-fixture.ts";
import { CollectorTags } from "./collector-tags.ts";

type Attributes = Span["resource"]["attributes"];

const text = (key: string, value: string) => ({ key, value: { type: "string", value } as const });
const int = (key: string, value: bigint) => ({ key, value: { type: "int", value } as const });

function tagged(tags: [string, string][], resource: Attributes): Attributes | undefined {
  return spansOf(new CollectorTags(tags).apply(rowsOf([spanOf({ resource })])))[0]?.resource.attributes;
}

describe("CollectorTags", () => {
  test.each<[string, [string, string][], Attributes, Attributes]>([
    ["a tag to a bare resource", [["zone", "a"]], [], [text("zone", "a")]],
    [
      "tags and sorts",
      [["b", "1"]],
      [text("c", "2"), text("a", "3")],
      [text("a", "3"), text("b", "1"), text("c", "2")],
    ],
    [
      "nothing where key and text are there",
      [["b", "1"]],
      [text("c", "2"), text("b", "1")],
      [text("b", "1"), text("c", "2")],
    ],
    ["nothing where another type has the text", [["b", "7"]], [int("b", 7n)], [int("b", 7n)]],
    [
      "a second value of a key, strings before numbers",
      [["b", "8"]],
      [int("b", 7n)],
      [text("b", "8"), int("b", 7n)],
    ],
    [
      "the last of two tags with one key",
      [
        ["b", "1"],
        ["b", "2"],
      ],
      [],
      [text("b", "2")],
    ],
    ["an empty value", [["b", ""]], [], [text("b", "")]],
  ])("adds %s", (_, tags, before, after) => {
    expect(tagged(tags, before)).toEqual(after);
  });

  test("sorts by bytes of the key, type, and value", () => {
    const sorted: Attributes = [
      text("A", "x"),
      { key: "k", value: { type: "string", value: "10" } },
      { key: "k", value: { type: "string", value: "9" } },
      { key: "k", value: { type: "bool", value: false } },
      { key: "k", value: { type: "bool", value: true } },
      int("k", -10n),
      int("k", 9n),
      int("k", 10n),
      { key: "k", value: { type: "double", value: -1.5 } },
      { key: "k", value: { type: "double", value: 1e21 } },
      { key: "k", value: { type: "bytes", value: Buffer.from([1, 2]) } },
      { key: "k", value: { type: "bytes", value: Buffer.from([2]) } },
      text("～", "x"),
      text("🙂", "x"),
    ];
    expect(tagged([["k", "9"]], sorted.toReversed())).toEqual(sorted);
  });

  test("leaves all else of every row, over resources that come and go", () => {
    const spans = [
      spanOf({ name: "1", resource: [text("host", "a")] }),
      spanOf({ name: "2", resource: [text("host", "a")] }),
      spanOf({ name: "3", resource: [text("host", "b")], attributes: { zone: "own" } }),
      spanOf({ name: "4", resource: [text("host", "a")], parentSpanId: "00000000000000aa" }),
    ];
    const step = new CollectorTags([["zone", "z"]]);
    for (let round = 0; round < 2; round++) {
      expect(spansOf(step.apply(rowsOf(spans)))).toEqual(
        spans.map((span) => ({
          ...span,
          resource: { ...span.resource, attributes: [...span.resource.attributes, text("zone", "z")] },
        })),
      );
    }
  });
});
