import { expect, test } from "vitest";
import { PostSpansRequest } from "../gen/tracing/api_v2/collector.ts";
import { checkPostSpans } from "./check-post-spans.ts";

/** A field of number and bytes. */
function field(number: number, bytes: Uint8Array): Buffer {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 0x80) {
      length.push(rest);
      break;
    }
    length.push((rest & 0x7f) | 0x80);
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

/** As many empty fields of this number. */
const empty = (number: number, count: number) => Buffer.alloc(2 * count, Buffer.from([(number << 3) | 2, 0]));
const ofBatch = (bytes: Uint8Array) => field(1, bytes);
const ofSpan = (bytes: Uint8Array) => ofBatch(field(1, bytes));

test("takes 100,000 spans, also with much in them, and bytes of no meaning", () => {
  checkPostSpans(ofBatch(empty(1, 100_000)));
  checkPostSpans(ofSpan(empty(8, 499_998)));
  checkPostSpans(ofSpan(field(3, empty(8, 1_000_000))));
  checkPostSpans(
    PostSpansRequest.encode(
      PostSpansRequest.fromPartial({
        batch: {
          process: { serviceName: "s", tags: [{ key: "k", vFloat64: 1, vInt64: -1n }] },
          spans: [{ flags: 1 }],
        },
      }),
    ).finish(),
  );
});

test.each([
  ["spans", ofBatch(empty(1, 100_001)), 100_000],
  ["spans in two batches", Buffer.concat([ofBatch(empty(1, 60_000)), ofBatch(empty(1, 60_000))]), 100_000],
  ["batches", empty(1, 500_001), 500_000],
  ["processes", ofBatch(empty(2, 500_000)), 500_000],
  ["tags of a process", ofBatch(field(2, empty(2, 500_000))), 500_000],
  ["references", ofSpan(empty(4, 500_000)), 500_000],
  ["tags", ofSpan(empty(8, 500_000)), 500_000],
  ["logs", ofSpan(empty(9, 500_000)), 500_000],
  ["fields of a log", ofSpan(field(9, empty(2, 500_000))), 500_000],
  ["processes of a span", ofSpan(empty(10, 500_000)), 500_000],
  ["warnings", ofSpan(empty(12, 500_000)), 500_000],
])("refuses too many %s", (_, request, limit) => {
  expect(() => checkPostSpans(request)).toThrow(
    expect.objectContaining({
      code: "WIRE_TOO_LARGE",
      message: expect.stringContaining(`the limit of ${limit} `),
    }),
  );
});

test("refuses what ends early", () => {
  expect(() => checkPostSpans(ofBatch(empty(1, 10)).subarray(0, 9))).toThrow(
    expect.objectContaining({ code: "WIRE_TRUNCATED" }),
  );
});
