import { describe, expect, test } from "vitest";
import { encodeThriftBatch } from "../testing/encode-agent-packet.ts";
import { explainBinaryError } from "./explain-binary-error.ts";
import { ThriftBatchTranscoder } from "./thrift-batch-transcoder.ts";

const zero = { high: 0, low: 0 };
const batch = encodeThriftBatch(
  {
    process: { serviceName: "shop", tags: [{ key: "k", vType: 4, vBinary: Buffer.from("abcd") }] },
    spans: [
      {
        traceIdLow: zero,
        traceIdHigh: zero,
        spanId: zero,
        parentSpanId: zero,
        operationName: "o".repeat(80),
        flags: 0,
        startTime: zero,
        duration: zero,
        logs: [{ timestamp: zero, fields: [] }],
      },
    ],
  },
  "binary",
);
const nameAt = batch.indexOf("shop");
const process = "*tracing.Process error reading struct: ";
const span = "*tracing.Span error reading struct: ";

/** The texts are Jaeger's answers to these bytes. */
describe("explainBinaryError", () => {
  test.each<[name: string, bytes: Buffer, text: string]>([
    ["no byte", Buffer.alloc(0), "*tracing.Batch field 0 read error: EOF"],
    ["text", Buffer.from("hello world"), "Unknown data type 104"],
    ["a type alone", Buffer.of(12), "*tracing.Batch field 0 read error: EOF"],
    ["half a field id", Buffer.of(12, 0), "*tracing.Batch field 0 read error: unexpected EOF"],
    ["no field in the process", Buffer.of(12, 0, 1), `${process}*tracing.Process field 0 read error: EOF`],
    ["half a length", batch.subarray(0, nameAt - 1), `${process}error reading field 1: unexpected EOF`],
    ["no text", batch.subarray(0, nameAt), `${process}error reading field 1: EOF`],
    ["half a text", batch.subarray(0, nameAt + 2), `${process}error reading field 1: unexpected EOF`],
    [
      "half a list's header",
      batch.subarray(0, nameAt + 4 + 3 + 2),
      `${process}error reading list begin: unexpected EOF`,
    ],
    [
      "half of some bytes",
      batch.subarray(0, batch.indexOf("abcd") + 2),
      `${process}*tracing.Tag error reading struct: error reading field 7: EOF`,
    ],
    ["half a long text", batch.subarray(0, batch.indexOf("oooo") + 9), `${span}error reading field 5: EOF`],
    [
      "a log cut off",
      batch.subarray(0, -3),
      `${span}*tracing.Log error reading struct: *tracing.Log field 0 read error: EOF`,
    ],
    ["an empty struct", Buffer.of(0), "Required field Process is not set"],
    ["an empty process", Buffer.of(12, 0, 1, 0), `${process}Required field ServiceName is not set`],
    ["a process of another type", Buffer.of(8, 0, 1, 0, 0, 0, 0, 0), "Required field Process is not set"],
    [
      "a negative length",
      Buffer.of(12, 0, 1, 11, 0, 1, 0xff, 0xff, 0xff, 0xff),
      `${process}error reading field 1: negative size: -1`,
    ],
    [
      "a length past all limits",
      Buffer.of(12, 0, 1, 11, 0, 1, 0x7f, 0xff, 0xff, 0xff),
      `${process}error reading field 1: size exceeded max allowed: 2147483647`,
    ],
    ["values too deep", Buffer.alloc(1_000, Buffer.of(12, 0, 9)), "Depth limit exceeded"],
  ])("says of %s what the public model says, and so does the transcoder", (_name, bytes, text) => {
    expect(explainBinaryError(bytes)).toBe(text);
    expect(() => new ThriftBatchTranscoder().transcode(bytes)).toThrow(
      expect.objectContaining({ name: "WireError", message: text }),
    );
  });

  test("has nothing to say of a batch that the public model takes, and neither have we", () => {
    expect(explainBinaryError(batch)).toBeUndefined();
    // `vStr` with type i64, which Jaeger skips.
    const tag = Buffer.concat([
      Buffer.of(11, 0, 1, 0, 0, 0, 0, 8, 0, 2, 0, 0, 0, 0, 10, 0, 3),
      Buffer.alloc(8),
      Buffer.of(0),
    ]);
    const mistyped = Buffer.concat([
      Buffer.of(12, 0, 1, 11, 0, 1, 0, 0, 0, 0, 15, 0, 2, 12, 0, 0, 0, 1),
      tag,
      Buffer.of(0, 15, 0, 2, 12, 0, 0, 0, 0, 0),
    ]);
    expect(explainBinaryError(mistyped)).toBeUndefined();
    expect(new ThriftBatchTranscoder().transcode(mistyped).rejectedSpans).toBe(0);
  });
});
