import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span } from "../model/span.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { readSpanRows } from "./read-span-rows.ts";
import { SpanRowWriter } from "./span-row-writer.ts";

const span: Span = {
  traceId: "0102030405060708090a0b0c0d0e0f10",
  spanId: "1112131415161718",
  parentSpanId: "",
  traceState: "",
  flags: 1,
  name: "GET /",
  kind: "server",
  startTimeUnixNano: 2n,
  durationNano: -3n,
  attributes: [{ key: "k", value: { type: "int", value: 7n } }],
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: { code: "unset", message: "" },
  resource: { serviceName: "shop", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  scope: { name: "lib", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  format: "otlp",
  warnings: [],
};

function rowsOf(spans: readonly Span[]): Uint8Array {
  const writer = new SpanRowWriter();
  for (const one of spans) {
    writer.append(one);
  }
  const rows = writer.take();
  expect(rows.count).toBe(spans.length);
  return rows.bytes;
}

describe("SpanRowWriter and readSpanRows", () => {
  test("write the columns in their order", () => {
    const expected = Buffer.concat([
      // Empty tenant, empty service, format otlp.
      Buffer.from([0, 0, 4]),
      Buffer.from("shop"),
      // Resource: no attributes, none dropped, no schema. Scope: name, empty version.
      Buffer.from([0, 0, 0, 0, 0, 0, 3]),
      Buffer.from("lib"),
      Buffer.from([0, 0, 0, 0, 0, 0, 0]),
      Buffer.from(span.traceId + span.spanId, "hex"),
      Buffer.alloc(8),
      Buffer.from([0, 1, 0, 0, 0, 5]),
      Buffer.from("GET /"),
      Buffer.from([2, 2, 0, 0, 0, 0, 0, 0, 0]),
      Buffer.from("fdffffffffffffff", "hex"),
      // Status unset without message. The list has six bytes, and its length is written in two bytes. It has one
      // attribute: key, type int, text.
      Buffer.from([0, 0, 0x86, 0, 0xff, 0x6b, 0xfe, 0x69, 0x37, 0xff, 0, 0, 0, 0]),
      // Empty events, links and warnings.
      Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]);
    expect(Buffer.from(rowsOf([span])).toString("hex")).toBe(expected.toString("hex"));
  });

  test("give back every span as it was", () => {
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 4 }), (spans) => {
        expect(readSpanRows(rowsOf(spans))).toEqual(spans);
      }),
    );
  });

  test("share resource and scope among the spans of a batch", () => {
    const other = { ...span, resource: { ...span.resource, serviceName: "cart" } };
    const spans = readSpanRows(rowsOf([span, span, other, span]));
    expect(spans.map((one) => one.resource.serviceName)).toEqual(["shop", "shop", "cart", "shop"]);
    expect(spans[1]?.resource).toBe(spans[0]?.resource);
    expect(spans[1]?.scope).toBe(spans[0]?.scope);
  });

  test("start again after take", () => {
    const writer = new SpanRowWriter();
    expect(writer.take()).toEqual({ bytes: new Uint8Array(0), count: 0 });
    writer.append(span);
    const first = Buffer.from(writer.take().bytes);
    writer.append(span);
    expect(Buffer.from(writer.take().bytes)).toEqual(first);
    expect(writer.take().count).toBe(0);
  });

  test("leave nothing of a span that cannot be written", () => {
    const writer = new SpanRowWriter();
    writer.append(span);
    for (const bad of [
      { traceId: "12" },
      { spanId: "zz12131415161718" },
      { spanId: "111213141516171g" },
      { spanId: "\u0131112131415161718".slice(0, 16) },
      { parentSpanId: "1" },
    ]) {
      expect(() => writer.append({ ...span, ...bad })).toThrow(
        expect.objectContaining({ code: "WIRE_BAD_ID" }),
      );
    }
    writer.append(span);
    expect(readSpanRows(writer.take().bytes)).toEqual([span, span]);
  });

  test("stop at maxRowsBytes", () => {
    const writer = new SpanRowWriter({ maxRowsBytes: 100_000 });
    const name = "x".repeat(60_000);
    writer.append({ ...span, name });
    expect(() => writer.append({ ...span, name })).toThrow(
      expect.objectContaining({ code: "WIRE_TOO_LARGE" }),
    );
    expect(readSpanRows(writer.take().bytes)).toHaveLength(1);
  });

  test("hold batches that outgrow the buffer", () => {
    const spans = Array.from({ length: 2_000 }, (_, index) => ({ ...span, name: `${index}`.repeat(30) }));
    expect(readSpanRows(rowsOf(spans))).toEqual(spans);
  });

  test("refuse rows that end early, wherever", () => {
    const bytes = rowsOf([span]);
    for (let end = 1; end < bytes.length; end++) {
      expect(() => readSpanRows(bytes.subarray(0, end))).toThrow(
        expect.objectContaining({ code: "WIRE_TRUNCATED" }),
      );
    }
  });

  test("refuse an unknown enum number and an endless length", () => {
    const bytes = Buffer.from(rowsOf([span]));
    bytes[1] = 9;
    expect(() => readSpanRows(bytes)).toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
    expect(() => readSpanRows(Buffer.from([0, 0, 255, 255, 255, 255, 255]))).toThrow(
      expect.objectContaining({ code: "WIRE_MALFORMED" }),
    );
  });
});
