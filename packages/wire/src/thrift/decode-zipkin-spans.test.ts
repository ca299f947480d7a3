import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span as ZipkinCoreSpan } from "../gen/thrift/zipkincore.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { zipkinPacket, zipkinSpanList } from "../testing/zipkin-thrift-messages.ts";
import { ZipkinV1ThriftTranscoder } from "../zipkin/zipkin-v1-thrift-transcoder.ts";
import { BinaryCursor } from "./binary-cursor.ts";
import { CompactCursor } from "./compact-cursor.ts";
import { maxZipkinAnnotations, readZipkinBatchArguments, readZipkinSpanList } from "./decode-zipkin-spans.ts";

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const text = fc.string({ unit: "grapheme", maxLength: 10 });
const bytes = fc.uint8Array({ maxLength: 20 }).map((array) => Buffer.from(array));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const host = fc.record({
  ipv4: int32,
  port: fc.nat(0xffff),
  serviceName: text,
  ipv6: maybe(bytes),
});
const span: fc.Arbitrary<ZipkinCoreSpan> = fc.record({
  traceId: uint64,
  traceIdHigh: maybe(uint64),
  name: text,
  id: uint64,
  parentId: maybe(uint64),
  annotations: fc.array(fc.record({ timestamp: int64, value: text, host: maybe(host) }), { maxLength: 20 }),
  binaryAnnotations: fc.array(
    fc.record({ key: text, value: bytes, annotationType: int32, host: maybe(host) }),
    { maxLength: 3 },
  ),
  debug: maybe(fc.boolean()),
  timestamp: maybe(int64),
  duration: maybe(int64),
});
const spans = fc.array(span, { maxLength: 17 });

function readPacket(packet: Buffer, protocol: "compact" | "binary"): ZipkinCoreSpan[] {
  const cursor = protocol === "compact" ? new CompactCursor() : new BinaryCursor();
  cursor.open(packet);
  cursor.message();
  return readZipkinBatchArguments(cursor);
}

describe.each(["compact", "binary"] as const)("emitZipkinBatch in the %s protocol", (protocol) => {
  test("comes back as Apache's library wrote it", () => {
    fc.assert(
      fc.property(spans, (sent) => {
        expect(readPacket(zipkinPacket(sent, protocol), protocol)).toEqual(sent);
      }),
    );
  });

  test("gives an error wherever it is cut", () => {
    const packet = zipkinPacket(fc.sample(span, { seed: 3, numRuns: 2 }), protocol);
    for (let length = 0; length < packet.length; length++) {
      expect(() => readPacket(packet.subarray(0, length), protocol)).toThrow(
        expect.objectContaining({ code: "WIRE_TRUNCATED" }),
      );
    }
  });
});

test("refuses arguments without a list", () => {
  const cursor = new BinaryCursor();
  cursor.open(Buffer.of(0));
  expect(() => readZipkinBatchArguments(cursor)).toThrow("emitZipkinBatch.spans is missing");
});

/** A field of the binary protocol. */
const field = (type: number, id: number, ...value: number[]) => [type, 0, id, ...value];
const listOfOne = (...spanFields: number[]) => Buffer.from([12, 0, 0, 0, 1, ...spanFields, 0]);

describe("a bare list", () => {
  test("comes back as Apache's library wrote it, whatever follows", () => {
    fc.assert(
      fc.property(spans, (sent) => {
        expect([
          ...readZipkinSpanList(new BinaryCursor(Buffer.concat([zipkinSpanList(sent), Buffer.of(9, 9)]))),
        ]).toEqual(sent);
      }),
    );
  });

  test.each([
    ["nothing", Buffer.alloc(0), "WIRE_TRUNCATED", "1 bytes wanted at offset 0, 0 left"],
    [
      "a count that lies",
      Buffer.of(12, 0x7f, 255, 255, 255),
      "WIRE_TRUNCATED",
      "2147483647 bytes wanted at offset 5, 0 left",
    ],
    [
      "a negative count",
      Buffer.of(12, 255, 255, 255, 255),
      "WIRE_MALFORMED",
      "count -1 before offset 5 is negative",
    ],
    [
      "a list of numbers",
      Buffer.of(8, 0, 0, 0, 1, 0, 0, 0, 1),
      "WIRE_MALFORMED",
      "the message is a list of i32, not of struct",
    ],
    [
      "a name of negative length",
      listOfOne(...field(11, 3, 255, 255, 255, 255)),
      "WIRE_MALFORMED",
      "length -1 before offset 12 is negative",
    ],
    [
      "unknown structs without end",
      listOfOne(...Array.from({ length: 1000 }, () => field(12, 99)).flat()),
      "WIRE_TOO_DEEP",
      "values are nested deeper than 64",
    ],
  ])("is refused with %s", (_, message, code, shown) => {
    const rejected = new RejectedSpans();
    const read = () => {
      const found = [...readZipkinSpanList(new BinaryCursor(message), rejected)];
      rejected.refuseNothing(found.length);
    };
    expect(read).toThrow(expect.objectContaining({ code, message: shown }));
  });

  test.each([
    ["an id that is an i32", field(8, 1, 0, 0, 0, 1), { traceId: 0n }],
    ["annotations that are numbers", field(15, 6, 8, 0, 0, 0, 1, 0, 0, 0, 0), { annotations: [] }],
    ["annotations that are a text", field(11, 6, 0, 0, 0, 0), { annotations: [] }],
    [
      "a host that is a number",
      [...field(15, 6, 12, 0, 0, 0, 1), ...field(8, 3, 0, 0, 0, 0), 0],
      { annotations: [{ timestamp: 0n, value: "", host: undefined }] },
    ],
    ["an unknown field that is a UUID", [...field(16, 99), ...new Array<number>(16).fill(1)], {}],
  ])("is read without %s", (_, fields, expected) => {
    const name = field(11, 3, 0, 0, 0, 1, 0x61);
    const [span] = readZipkinSpanList(new BinaryCursor(listOfOne(...fields, ...name)));
    expect(span).toMatchObject({ name: "a", ...expected });
  });

  test("has no more annotations in a span than the limit", () => {
    const count = maxZipkinAnnotations + 1;
    const header = Buffer.from([12, 0, 0, 0, 1, ...field(15, 6, 12, 0, 1, 0, 1)]);
    const message = Buffer.concat([header, Buffer.alloc(count + 1)]);
    const rejected = new RejectedSpans();
    expect([...readZipkinSpanList(new BinaryCursor(message), rejected)]).toEqual([]);
    expect(rejected.errorMessage).toContain("annotations are 65537, more than 65536");
  });

  test("with an id of zero is rejected as rows", () => {
    const transcoder = new ZipkinV1ThriftTranscoder();
    const [sample] = fc.sample(span, { seed: 1, numRuns: 1 }) as [ZipkinCoreSpan];
    const named = { ...sample, traceId: 1n, id: 1n, timestamp: 1n, duration: 1n, annotations: [] };
    expect(transcoder.transcode(zipkinSpanList([named, named])).rows.count).toBe(2);
    expect(transcoder.transcode(zipkinSpanList([named, { ...named, id: 0n }]))).toMatchObject({
      rows: { count: 1 },
      rejectedSpans: 1,
      errorMessage: expect.stringContaining("at spans[1]: zipkinV1 span id: ID is zero"),
    });
    expect(() => transcoder.transcode(zipkinSpanList([{ ...named, traceId: 0n, traceIdHigh: 0n }]))).toThrow(
      expect.objectContaining({ code: "WIRE_BAD_ID", message: "zipkinV1 span traceId: traceId is zero" }),
    );
    expect(transcoder.transcode(zipkinSpanList([named])).rows.count).toBe(1);
  });
});
