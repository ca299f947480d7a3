import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { PostSpansRequest } from "../gen/tracing/api_v2/collector.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { batchArbitrary } from "../testing/batch-arbitrary.ts";
import { type ProtoField, protoMessage } from "../testing/proto-fields.ts";
import { ApiV2Transcoder } from "./api-v2-transcoder.ts";

function outcomeOf(request: Uint8Array, transcoder = new ApiV2Transcoder()): string {
  try {
    const { rows, errorMessage } = transcoder.transcode(request);
    const warnings = rows.count > 10 ? [] : readSpanRows(rows.bytes).flatMap((span) => span.warnings);
    return [`${rows.count} spans`, ...warnings, errorMessage].join(", ");
  } catch (error) {
    if (error instanceof WireError) {
      return `${error.code} ${error.message}`;
    }
    throw error;
  }
}

const ids: readonly ProtoField[] = [
  [1, "bytes", Buffer.alloc(16, 1)],
  [2, "bytes", Buffer.alloc(8, 2)],
];

function requestOf(...span: readonly ProtoField[]): Uint8Array {
  return protoMessage([1, "bytes", [[1, "bytes", span]]]);
}

function repeated(count: number, ...fields: readonly ProtoField[]): Uint8Array {
  return Buffer.concat(Array.from({ length: count }, () => protoMessage(...fields)));
}

describe("ApiV2Transcoder, given bad input", () => {
  const manySpans = (count: number) => protoMessage([1, "bytes", repeated(count, [1, "bytes", ids])]);
  test.each<[name: string, request: Uint8Array, outcome: string]>([
    [
      "no trace id",
      requestOf([2, "bytes", Buffer.alloc(8)]),
      "WIRE_BAD_ID invalid length for TraceID: 0 bytes",
    ],
    [
      "a trace id of 15 bytes",
      requestOf([1, "bytes", Buffer.alloc(15)]),
      "WIRE_BAD_ID invalid length for TraceID: 15",
    ],
    [
      "a trace id of 17 bytes",
      requestOf([1, "bytes", Buffer.alloc(17)]),
      "WIRE_BAD_ID invalid length for TraceID: 17",
    ],
    [
      "no span id",
      requestOf([1, "bytes", Buffer.alloc(8)]),
      "WIRE_BAD_ID invalid length for SpanID: 0 bytes, not 8",
    ],
    [
      "a span id of 16 bytes",
      requestOf([1, "bytes", Buffer.alloc(8)], [2, "bytes", Buffer.alloc(16)]),
      "WIRE_BAD_ID invalid length for SpanID: 16",
    ],
    [
      "a reference to nothing",
      requestOf(...ids, [4, "bytes", []]),
      "1 spans, trace id of a reference was dropped: it has 0 bytes, not 16, span id of a reference was dropped",
    ],
    [
      "a reference with a short span id",
      requestOf(...ids, [
        4,
        "bytes",
        [
          [1, "bytes", Buffer.alloc(8)],
          [2, "bytes", "abc"],
        ],
      ]),
      "1 spans, span id of a reference was dropped: it has 3 bytes, not 8",
    ],
    ["text", Buffer.from("hello world"), "WIRE_MALFORMED"],
    ["a tag alone", Buffer.from([0x0a]), "WIRE_TRUNCATED"],
    ["a length past the end", Buffer.from([0x0a, 5, 0]), "WIRE_TRUNCATED"],
    [
      "a varint of 11 bytes",
      Buffer.concat([Buffer.from([0x10]), Buffer.alloc(10, 0xff), Buffer.from([1])]),
      "WIRE_MALFORMED",
    ],
    ["field number 0", Buffer.from([0x02, 0]), "WIRE_MALFORMED"],
    ["a group around nothing", Buffer.from([0x0b, 0x0c]), "WIRE_MALFORMED"],
    ["a stray end of group", Buffer.from([0x0c]), "WIRE_MALFORMED"],
    ["a stray end of group in a batch", protoMessage([1, "bytes", Buffer.from([0x0c])]), "WIRE_MALFORMED"],
    [
      "a stray end of group in a span",
      requestOf(...ids, [9, "bytes", Buffer.from([0x0c])]),
      "WIRE_MALFORMED",
    ],
    ["a stray end of group in a tag", requestOf(...ids, [8, "bytes", Buffer.from([0x0c])]), "WIRE_MALFORMED"],
    [
      "a stray end of group in a time",
      requestOf(...ids, [6, "bytes", Buffer.from([0x0c])]),
      "WIRE_MALFORMED",
    ],
    [
      "a stray end of group in a process",
      requestOf(...ids, [10, "bytes", Buffer.from([0x0c])]),
      "WIRE_MALFORMED",
    ],
    ["a tag past its span", requestOf(...ids, [8, "bytes", Buffer.from([0x0a, 9])]), "WIRE_TRUNCATED"],
    [
      "a double of 4 bytes",
      requestOf(...ids, [8, "bytes", Buffer.from([0x31, 0, 0, 0, 0])]),
      "WIRE_TRUNCATED",
    ],
    ["100,000 spans", manySpans(100_000), "100000 spans"],
    [
      "100,001 spans",
      manySpans(100_001),
      '100000 spans, 1 span rejected: span "" at spans[100000]: request has more than',
    ],
    ["500,000 parts", requestOf(...ids, [9, "bytes", repeated(499_998, [2, "bytes", ""])]), "1 spans"],
    [
      "500,001 parts",
      requestOf(...ids, [9, "bytes", repeated(499_999, [2, "bytes", ""])]),
      "WIRE_TOO_LARGE request has more than the limit of 500000 parts",
    ],
  ])("answers %s", (_name, request, outcome) => {
    expect(outcomeOf(request)).toContain(outcome);
  });

  test("keeps rows within their limit, which a large process of small spans would pass", () => {
    const request = protoMessage([
      1,
      "bytes",
      [
        [1, "bytes", ids],
        [1, "bytes", ids],
        [2, "bytes", [[1, "bytes", Buffer.alloc(600, "x")]]],
      ],
    ]);
    expect(outcomeOf(request, new ApiV2Transcoder({ maxRowsBytes: 1_000 }))).toMatch(
      /^1 spans, 1 span rejected: span "" at spans\[1\]: rows of/,
    );
  });

  test("is good for the next request after a refused one", () => {
    const transcoder = new ApiV2Transcoder();
    const good = requestOf(...ids);
    expect(() => transcoder.transcode(good.subarray(0, -1))).toThrow(WireError);
    expect(readSpanRows(transcoder.transcode(good).rows.bytes)).toHaveLength(1);
  });

  test("refuses every cut of a request: a batch is one field", () => {
    const [batch] = fc.sample(
      batchArbitrary.filter(({ spans }) => spans.length > 1),
      { seed: 7, numRuns: 1 },
    );
    const request = PostSpansRequest.encode({ batch }).finish();
    for (let end = 1; end < request.length; end++) {
      expect(outcomeOf(request.subarray(0, end))).toMatch(/^WIRE_TRUNCATED/);
    }
  });

  test("answers damaged requests with good rows or a WireError, never otherwise", () => {
    const requests = fc
      .sample(batchArbitrary, { seed: 5, numRuns: 50 })
      .map((batch) => PostSpansRequest.encode({ batch }).finish());
    const transcoder = new ApiV2Transcoder();
    const seen = { good: 0, refused: 0 };
    fc.assert(
      fc.property(
        fc.nat(requests.length - 1),
        fc.array(fc.tuple(fc.nat(0xffff), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        (index, changes) => {
          const request = Buffer.from(requests[index] ?? []);
          for (const [at, byte] of changes) {
            request[at % request.length] = byte;
          }
          try {
            const { rows } = transcoder.transcode(request);
            expect(readSpanRows(rows.bytes)).toHaveLength(rows.count);
            seen.good++;
          } catch (error) {
            if (!(error instanceof WireError)) {
              throw error;
            }
            seen.refused++;
          }
        },
      ),
      { seed: 6, numRuns: 4_000 },
    );
    expect(seen.good).toBeGreaterThan(200);
    expect(seen.refused).toBeGreaterThan(200);
  });
});
