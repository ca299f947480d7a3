import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PostSpansRequest } from "../gen/tracing/api_v2/collector.ts";
import type { Batch } from "../gen/tracing/api_v2/model.ts";
import { readSpanRows } from "../rows/read-span-rows.ts";
import { SpanRowWriter } from "../rows/span-row-writer.ts";
import { batchArbitrary } from "../testing/batch-arbitrary.ts";
import { protoMessage } from "../testing/proto-fields.ts";
import { ApiV2Transcoder } from "./api-v2-transcoder.ts";
import { fromApiV2Batch } from "./from-api-v2-batch.ts";

function requestOf(batch: Batch | undefined): Uint8Array {
  return PostSpansRequest.encode({ batch }).finish();
}

/** The rows that result from a conversion through objects. */
function rowsOverObjects(request: Uint8Array, format: "proto" | "jaeger", tenant: string): Buffer {
  const { batch } = PostSpansRequest.decode(request);
  const writer = new SpanRowWriter();
  for (const span of batch === undefined ? [] : fromApiV2Batch(batch, format)) {
    writer.append(span, tenant);
  }
  return Buffer.from(writer.take().bytes);
}

const traceId = Buffer.from("0102030405060708090a0b0c0d0e0f10", "hex");
const spanId = Buffer.from("1112131415161718", "hex");

describe("ApiV2Transcoder", () => {
  test.each(["proto", "jaeger"] as const)(
    "writes the rows that the way over objects gives, as %s",
    (format) => {
      const transcoder = new ApiV2Transcoder({ format });
      fc.assert(
        fc.property(batchArbitrary, fc.constantFrom("", "acme"), (batch, tenant) => {
          const request = requestOf(batch);
          const { rows, rejectedSpans, errorMessage } = transcoder.transcode(request, tenant);
          expect(Buffer.from(rows.bytes).equals(rowsOverObjects(request, format, tenant))).toBe(true);
          expect({ count: rows.count, rejectedSpans, errorMessage }).toEqual({
            count: batch.spans.length,
            rejectedSpans: 0,
            errorMessage: "",
          });
        }),
        { seed: 11, numRuns: 600 },
      );
    },
  );

  test("says that the spans came over gRPC unless told otherwise", () => {
    const request = requestOf(
      fc.sample(
        batchArbitrary.filter(({ spans }) => spans.length > 0),
        { seed: 3, numRuns: 1 },
      )[0],
    );
    const { rows } = new ApiV2Transcoder().transcode(request);
    expect(new Set(readSpanRows(rows.bytes).map(({ format }) => format))).toEqual(new Set(["proto"]));
  });

  test.each([
    ["an empty request", Buffer.alloc(0)],
    ["an empty batch", protoMessage([1, "bytes", []])],
    ["fields that it does not know", protoMessage([9, "varint", 1], [1, "bytes", [[7, "fixed32", 1]]])],
  ])("reads no span out of %s", (_name, request) => {
    expect(new ApiV2Transcoder().transcode(request).rows.count).toBe(0);
  });

  test("takes the batch's process from behind the spans, and merges one that comes in parts", () => {
    const tag = (key: string) => [2, "bytes", [[1, "bytes", key]]] as const;
    const request = protoMessage(
      [
        1,
        "bytes",
        [
          [
            1,
            "bytes",
            [
              [1, "bytes", traceId],
              [2, "bytes", spanId],
            ],
          ],
        ],
      ],
      [1, "bytes", [[2, "bytes", [[1, "bytes", "old"], tag("a")]]]],
      [1, "bytes", [[2, "bytes", [tag("b"), [1, "bytes", "shop"]]]]],
    );
    const [span] = readSpanRows(new ApiV2Transcoder().transcode(request).rows.bytes);
    expect(span?.resource).toMatchObject({ serviceName: "shop", attributes: [{ key: "a" }, { key: "b" }] });
  });

  test("keeps spans apart whose own processes differ, come again, or are not there", () => {
    const span = (...process: readonly string[]) =>
      [
        1,
        "bytes",
        [
          [1, "bytes", traceId],
          [2, "bytes", spanId],
          ...process.map((name) => [10, "bytes", [[1, "bytes", name]]] as const),
        ],
      ] as const;
    const request = protoMessage([
      1,
      "bytes",
      [span("a"), span("a"), span("b"), span(), span("b"), span("a", "c"), span("c"), span("")],
    ]);
    const spans = readSpanRows(new ApiV2Transcoder().transcode(request).rows.bytes);
    expect(spans.map(({ resource }) => resource.serviceName)).toEqual([
      "a",
      "a",
      "b",
      "null-process-and-service-name",
      "b",
      "c",
      "c",
      "empty-service-name",
    ]);
  });

  test("puts U+FFFD in place of what is not UTF-8, short or long", () => {
    const key = Buffer.concat([Buffer.from("k"), Buffer.of(0xff)]);
    const long = Buffer.concat([Buffer.alloc(200, "x"), Buffer.of(0xc3)]);
    const request = protoMessage([
      1,
      "bytes",
      [
        [
          1,
          "bytes",
          [
            [1, "bytes", traceId],
            [2, "bytes", spanId],
            [3, "bytes", Buffer.of(0x61, 0x80)],
            [
              8,
              "bytes",
              [
                [1, "bytes", key],
                [3, "bytes", long],
              ],
            ],
          ],
        ],
      ],
    ]);
    const [span] = readSpanRows(new ApiV2Transcoder().transcode(request).rows.bytes);
    expect(span).toMatchObject({
      name: "a\ufffd",
      attributes: [{ key: "k\ufffd", value: { value: `${"x".repeat(200)}\ufffd` } }],
    });
  });
});
