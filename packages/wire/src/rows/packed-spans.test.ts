import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Scope, type Span, spanKinds, statusCodes } from "../model/span.ts";
import { detailsTextOf } from "../testing/details-text-of.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { storedRowsOf, withoutDetails } from "../testing/stored-rows-of.ts";
import { attributeListOf } from "./attribute-list.ts";
import { PackedSpans } from "./packed-spans.ts";
import type { SpanPlace } from "./read-stored-rows.ts";
import type { SpanFields } from "./span-fields.ts";

/** Half of the spans have only the usual fields; some of those have their parent as a link. */
const someSpan = fc
  .tuple(spanArbitrary, fc.constantFrom("", "parent", "tuple", "tuple"))
  .map(([span, details]) => (details === "tuple" ? span : withoutDetails(span, details === "parent")));

function expectFields(fields: SpanFields, span: Span): void {
  const { bytes, view, spanIdAt, startAt, nameStart, nameEnd, messageStart, messageEnd } = fields;
  expect(fields.origin).toEqual({ format: span.format, resource: span.resource, scope: span.scope });
  expect(bytes.toString("hex", spanIdAt, spanIdAt + 16)).toBe(
    span.spanId + (span.parentSpanId || "0".repeat(16)),
  );
  expect(view.getBigInt64(startAt, true)).toBe(span.startTimeUnixNano);
  expect(view.getBigInt64(startAt + 8, true)).toBe(span.durationNano);
  expect(bytes.toString("utf8", nameStart, nameEnd)).toBe(span.name);
  expect([fields.flags, fields.hasTraceState]).toEqual([span.flags, span.traceState !== ""]);
  expect([spanKinds[fields.kind], statusCodes[fields.status]]).toEqual([span.kind, span.status.code]);
  expect(bytes.toString("utf8", messageStart, messageEnd)).toBe(span.status.message);
  expect(bytes.subarray(fields.attributesStart, fields.attributesEnd)).toEqual(
    attributeListOf(span.attributes),
  );
  expect([fields.hasLinks, fields.hasEvents]).toEqual([span.links.length > 0, span.events.length > 0]);
  const hasDetails = detailsTextOf(span).toString();
  expect(fields.details()).toBe(hasDetails === "" ? "none" : hasDetails === "parent" ? "parent" : "more");
}

describe("PackedSpans", () => {
  test("gives back spans whose rows came cut anywhere, in any order", () => {
    const input = fc.tuple(
      fc.array(someSpan, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 50, max: 900 }),
    );
    fc.assert(
      fc.property(input, ([some, pieceBytes]) => {
        const spans = [...some, ...some];
        const rows = storedRowsOf(spans);
        const packed = new PackedSpans();
        const seen: SpanPlace[] = [];
        for (let start = 0; start < rows.length; start += pieceBytes) {
          packed.add([Buffer.from(rows.subarray(start, start + pieceBytes))], (span, index) => {
            expect(index).toBe(seen.length);
            seen.push(span);
          });
        }
        packed.end();
        const places = spans.map(({ traceId, startTimeUnixNano, links }) => {
          const startHigh = Number(startTimeUnixNano >> 32n);
          const startLow = Number(BigInt.asUintN(32, startTimeUnixNano));
          return { traceId, startHigh, startLow, hasLinks: links.length > 0 };
        });
        expect(seen).toEqual(places);
        expect(packed.length).toBe(spans.length);
        for (let index = spans.length - 1; index >= 0; index--) {
          const span = spans[index] as Span;
          expect(packed.at(index)).toEqual(span);
          expectFields(packed.fieldsAt(index), span);
          const copy = (index + some.length) % spans.length;
          expect(packed.rowAt(index)).toEqual(packed.rowAt(copy));
          expect(packed.originAt(index)).toBe(packed.originAt(copy));
        }
      }),
      { numRuns: 40 },
    );
  });

  test("keeps rows that are larger than a block, and many of them", () => {
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 7 }) as [Span];
    const long = { key: "long", value: { type: "string", value: "x".repeat(5_000_000) } } as const;
    const spans = Array.from({ length: 300 }, (_, index) => ({
      ...span,
      flags: index,
      attributes: index === 150 ? [long] : span.attributes,
    }));
    const packed = new PackedSpans();
    packed.add([storedRowsOf(spans)], () => {});
    packed.end();
    expect(packed.byteLength).toBeGreaterThan(5_000_000);
    expect(spans.map((_, index) => packed.at(index))).toEqual(spans);
    expect(() => packed.at(300)).toThrow(RangeError);
  });

  test("says of damaged attributes when their span is asked for", () => {
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 7 }) as [Span];
    const attributes = [{ key: "damaged", value: { type: "bool", value: true } } as const];
    const rows = Buffer.from(storedRowsOf([span, { ...span, attributes }]));
    const value = rows.lastIndexOf("btrue");
    rows[value + 1] = 0x54;
    const packed = new PackedSpans();
    packed.add([rows], () => {});
    packed.end();
    expect(packed.at(0)).toEqual(span);
    expect(() => packed.at(1)).toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
  });

  test("says when the last row has no end", () => {
    const rows = storedRowsOf(fc.sample(spanArbitrary, { numRuns: 3, seed: 7 }));
    const packed = new PackedSpans();
    packed.add([rows.subarray(0, -1)], () => {});
    expect(packed.length).toBe(2);
    expect(() => packed.end()).toThrow(expect.objectContaining({ code: "WIRE_TRUNCATED" }));
  });

  test("holds once what details say of resource and scope", () => {
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 7 }) as [Span];
    const attributes = [{ key: "long", value: { type: "string", value: "x".repeat(10_000) } } as const];
    const scopes = [1, 2].map((droppedAttributesCount) => ({
      ...span.scope,
      attributes,
      droppedAttributesCount,
    }));
    const spans = Array.from({ length: 300 }, (_, index) => ({ ...span, scope: scopes[index & 1] as Scope }));
    const packed = new PackedSpans();
    packed.add([storedRowsOf(spans)], () => {});
    packed.end();
    expect(packed.byteLength).toBeLessThan(1_000_000);
    expect(spans.map((_, index) => packed.at(index))).toEqual(spans);
    expect(new Set(spans.map((_, index) => packed.at(index).scope)).size).toBe(2);
  });
});
