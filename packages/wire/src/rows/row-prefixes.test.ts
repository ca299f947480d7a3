import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span } from "../model/span.ts";
import { plainRowsOf, sharingSpans } from "../testing/plain-rows-of.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { SpanBlock } from "./block/span-block.ts";
import { ByteWriter } from "./byte-writer.ts";
import { readSpanRows } from "./read-span-rows.ts";
import { RowPrefixes } from "./row-prefixes.ts";
import { RowScanner } from "./row-scanner.ts";
import { SpanRowWriter } from "./span-row-writer.ts";
import { plainBytesOf, type SpanRows } from "./span-rows.ts";

function rowsOf(spans: readonly Span[], tenant = ""): SpanRows {
  const writer = new SpanRowWriter();
  for (const span of spans) {
    writer.append(span, tenant);
  }
  const rows = writer.take();
  return { ...rows, bytes: Uint8Array.from(rows.bytes) };
}

function blockOf(...all: SpanRows[]): Buffer {
  const block = new SpanBlock();
  block.begin();
  for (const rows of all) {
    block.add(rows);
  }
  return Buffer.concat(block.pieces());
}

/** For each row: its prefix, its other bytes, and all fields that the scanner found. */
function walked(rows: SpanRows) {
  const scanner = new RowScanner();
  scanner.open(rows);
  const found: unknown[] = [];
  while (scanner.next()) {
    const { bytes, prefixStart, prefixEnd, traceIdAt, end } = scanner;
    const text = (start: number, stop: number) => Buffer.from(bytes.subarray(start, stop)).toString("hex");
    found.push([
      text(prefixStart, prefixEnd),
      text(traceIdAt, end),
      text(scanner.tenantStart, scanner.tenantEnd),
      scanner.format,
      text(scanner.serviceStart, scanner.serviceEnd),
      text(scanner.resourceAttributesStart, scanner.resourceAttributesEnd),
      text(scanner.nameStart, scanner.nameEnd),
    ]);
  }
  return found;
}

describe("rows that share prefixes", () => {
  test("are the same spans, the same block and the same walk as rows with their own, and no larger", () => {
    fc.assert(
      fc.property(sharingSpans, fc.string({ maxLength: 3 }), (spans, tenant) => {
        const shared = rowsOf(spans, tenant);
        const plain = plainRowsOf(spans, tenant);
        expect(readSpanRows(shared.bytes)).toEqual(spans);
        expect(readSpanRows(plain.bytes)).toEqual(spans);
        expect(walked(shared)).toEqual(walked(plain));
        expect(plainBytesOf(shared)).toBe(plain.bytes.length);
        expect(shared.bytes.length).toBeLessThanOrEqual(plain.bytes.length);
        expect(blockOf(shared, shared).equals(blockOf(plain, shared))).toBe(true);
      }),
    );
  });

  test("have each prefix once in a run, whatever objects it comes from", () => {
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 3 }) as [Span];
    const copy = { ...span, resource: { ...span.resource }, scope: { ...span.scope } };
    const [one, two] = [rowsOf([span]).bytes.length, rowsOf([span, span]).bytes.length];
    expect(rowsOf([span, copy]).bytes.length).toBe(two);
    expect(rowsOf([span, copy, span]).bytes.length).toBe(two + (two - one));
  });

  test("cannot begin with a row without one", () => {
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 4 }) as [Span];
    const { bytes } = rowsOf([span, span]);
    const second = { bytes: bytes.subarray(rowsOf([span]).bytes.length), count: 1 };
    const refused = expect.objectContaining({ code: "WIRE_MALFORMED" });
    expect(() => walked(second)).toThrow(refused);
    expect(() => readSpanRows(second.bytes)).toThrow(refused);
    expect(() => blockOf(second)).toThrow(refused);
    // The prefix of earlier rows must not be used either.
    const scanner = new RowScanner();
    scanner.open({ bytes, count: 2 });
    expect([scanner.next(), scanner.next(), scanner.next()]).toEqual([true, true, false]);
    scanner.open(second);
    expect(() => scanner.next()).toThrow(refused);
    expect(() => blockOf({ bytes, count: 2 }, second)).toThrow(refused);
  });
});

describe("RowPrefixes", () => {
  test("bounds what the rows would take with all their prefixes", () => {
    const out = new ByteWriter();
    const prefixes = new RowPrefixes(out, 100);
    prefixes.begin();
    out.zeros(40);
    prefixes.written(0);
    prefixes.again();
    expect([out.length, prefixes.plainBytes]).toEqual([42, 80]);
    expect(() => prefixes.again()).toThrow(expect.objectContaining({ code: "WIRE_TOO_LARGE" }));
    out.clear();
    prefixes.begin();
    out.zeros(40);
    prefixes.written(0);
    out.uint8(7);
    const start = out.length;
    out.zeros(40);
    prefixes.written(start);
    expect([out.length, prefixes.plainBytes]).toEqual([43, 81]);
  });

  test("takes a row back, and gives the next one the prefix of the row before it", () => {
    const out = new ByteWriter();
    const prefixes = new RowPrefixes(out);
    out.string("prefix");
    prefixes.written(0);
    const { length } = out;
    prefixes.again();
    prefixes.takeBack(length);
    out.string("prefix");
    prefixes.written(length);
    expect([out.length, prefixes.plainBytes]).toEqual([length + 2, 2 * length]);
    const other = out.length;
    out.string("other prefix");
    prefixes.written(other);
    prefixes.takeBack(other);
    out.string("prefix");
    prefixes.written(other);
    expect([out.length, prefixes.plainBytes]).toEqual([length + 4, 3 * length]);
  });
});
