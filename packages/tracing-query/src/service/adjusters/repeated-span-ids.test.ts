import { expect, test } from "vitest";
import type { ApiV2Span } from "wire/api-v2";
import { childOf, followsFrom, span, tag } from "../../testing/sample-span.ts";
import { parentKey } from "../span-facts.ts";
import { giveUniqueSpanIds } from "./repeated-span-ids.ts";

const client = [tag("span.kind", "client")];
const server = [tag("span.kind", "server")];

function tree(spans: ApiV2Span[]): [id: string, parent: string][] {
  const hex = (key: string) => BigInt(`0x${Buffer.from(key, "latin1").toString("hex")}`).toString(16);
  return spans.map((one) => [one.spanId.toString("hex").replace(/^0+/, ""), hex(parentKey(one))]);
}

test("a server that shares its id with a client becomes the client's child, and takes its children", () => {
  const spans = [
    span({ id: 1 }),
    span({ id: 0x10, tags: client, references: [childOf(1)] }),
    span({ id: 0x10, tags: server, references: [childOf(1)] }),
    span({ id: 3, references: [childOf(0x10)] }),
    span({ id: 4, references: [followsFrom(0x10)] }),
  ];
  giveUniqueSpanIds({ spans, warnings: [] });
  expect(tree(spans)).toEqual([
    ["1", "0"],
    ["10", "1"],
    ["2", "10"],
    ["3", "2"],
    ["4", "2"],
  ]);
});

test("a shared root: the server gets a parent, and ids go on counting", () => {
  const spans = [
    span({ id: 0x20, tags: client }),
    span({ id: 0x20, tags: server }),
    span({ id: 1, tags: client, references: [childOf(0x20)] }),
    span({ id: 1, tags: server, references: [childOf(0x20)] }),
  ];
  giveUniqueSpanIds({ spans, warnings: [] });
  expect(tree(spans)).toEqual([
    ["20", "0"],
    ["2", "20"],
    ["1", "2"],
    ["3", "1"],
  ]);
});

test.each([
  ["two servers", server, server],
  ["two clients", client, client],
  ["spans without a kind", [], []],
])("%s with one id stay as they are", (_, first, second) => {
  const spans = [span({ id: 5, tags: first }), span({ id: 5, tags: second })];
  giveUniqueSpanIds({ spans, warnings: [] });
  expect(tree(spans)).toEqual([
    ["5", "0"],
    ["5", "0"],
  ]);
});
