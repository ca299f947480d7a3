// The spans in `fixtures/first-layout.segment`. The collector wrote that file when attributes of spans and
// resources were still arrays of tuples.

import type { Attribute, Span } from "wire/model";
import { spanOf } from "./span-rows-fixture.ts";

const everyType: Attribute[] = [
  { key: "text", value: { type: "string", value: 'a=b "c" \\ é 🙂 \0' } },
  { key: "", value: { type: "string", value: "" } },
  { key: "text", value: { type: "string", value: "the same key" } },
  { key: "yes", value: { type: "bool", value: true } },
  { key: "int", value: { type: "int", value: -9_223_372_036_854_775_808n } },
  { key: "double", value: { type: "double", value: -0 } },
  { key: "nothing", value: { type: "empty" } },
  { key: "bytes", value: { type: "bytes", value: Buffer.from([0xfe, 0xff, 0]) } },
  { key: "array", value: { type: "array", value: [{ type: "int", value: 1n }, { type: "empty" }] } },
  {
    key: "kvlist",
    value: { type: "kvlist", value: [{ key: "$x", value: { type: "double", value: 2 } }] },
  },
];

const long = (bytes: number): Attribute => ({
  key: `long ${bytes}`,
  value: { type: "string", value: "x".repeat(bytes) },
});

const links: Span["links"] = [
  {
    traceId: "0102030405060708090a0b0c0d0e0f10",
    spanId: "1112131415161718",
    traceState: "k=v",
    attributes: everyType,
    droppedAttributesCount: 1,
    flags: 1,
    refType: "follows_from",
  },
];

/** A batch, which is a frame of the segment, each. */
export const firstLayoutBatches: readonly (readonly Span[])[] = [
  [spanOf({ name: "bare" })],
  [
    {
      ...spanOf({ name: "everything", resource: everyType }),
      attributes: everyType,
      droppedAttributesCount: 7,
      events: [
        { timeUnixNano: 5n, name: "event", attributes: everyType, droppedAttributesCount: 2 },
        { timeUnixNano: 6n, name: "bare", attributes: [], droppedAttributesCount: 0 },
      ],
      links,
      scope: {
        name: "lib",
        version: "1",
        attributes: everyType,
        droppedAttributesCount: 3,
        schemaUrl: "https://schemas/1",
      },
      warnings: ["clock skew"],
    },
    spanOf({ name: "next", parentSpanId: "00000000000000aa", attributes: { a: "1", b: "2" } }),
  ],
  [127, 128, 200, 16_383, 16_384, 20_000].map((bytes) => ({
    ...spanOf({ name: `${bytes}`, resource: [long(150)] }),
    attributes: [long(bytes), ...everyType],
  })),
];
