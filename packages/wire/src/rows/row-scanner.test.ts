import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { type Span, spanFormats, spanKinds, statusCodes } from "../model/span.ts";
import { spanArbitrary } from "../testing/span-arbitrary.ts";
import { attributeListOf } from "./attribute-list.ts";
import { attributeText } from "./attribute-text.ts";
import { RowScanner } from "./row-scanner.ts";
import { SpanRowWriter } from "./span-row-writer.ts";
import type { SpanRows } from "./span-rows.ts";

function rowsOf(spans: readonly Span[], tenant = ""): SpanRows {
  const writer = new SpanRowWriter();
  for (const span of spans) {
    writer.append(span, tenant);
  }
  const rows = writer.take();
  return { bytes: Uint8Array.from(rows.bytes), count: rows.count };
}

describe("RowScanner", () => {
  test("finds every row and its values", () => {
    const scanner = new RowScanner();
    fc.assert(
      fc.property(fc.array(spanArbitrary, { maxLength: 5 }), fc.string(), (spans, tenant) => {
        const rows = rowsOf(spans, tenant);
        const bytes = Buffer.from(rows.bytes);
        scanner.open(rows);
        let end = 0;
        for (const span of spans) {
          expect(scanner.next()).toBe(true);
          expect(scanner.start).toBe(end);
          end = scanner.end;
          expect(seen(scanner, bytes)).toEqual(told(span, tenant));
          for (const [key, text] of firstTexts(span.attributes)) {
            expect(scanner.attributeText(key)).toBe(text);
          }
          for (const [key, text] of firstTexts(span.resource.attributes)) {
            expect(scanner.resourceAttributeText(key)).toBe(text);
          }
          expect(scanner.attributeText("no such key")).toBeUndefined();
          expect(bytes.subarray(scanner.start, scanner.end)).toEqual(
            Buffer.from(rowsOf([span], tenant).bytes),
          );
        }
        expect(scanner.next()).toBe(false);
        expect(end).toBe(bytes.length);
      }),
    );
  });

  test("throws for rows cut anywhere", () => {
    fc.assert(
      fc.property(spanArbitrary, fc.nat(), (span, cut) => {
        const { bytes } = rowsOf([span]);
        expect(() => count({ bytes: bytes.subarray(0, cut % bytes.length), count: 1 })).toThrow(WireError);
      }),
    );
  });

  test("reads damaged bytes to the end or throws, and never loops", () => {
    fc.assert(
      fc.property(
        fc.array(spanArbitrary, { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (spans, changes) => {
          const rows = rowsOf(spans);
          for (const [at, byte] of changes) {
            rows.bytes[at % rows.bytes.length] = byte;
          }
          try {
            expect(count(rows)).toBe(spans.length);
          } catch (error) {
            expect(error).toBeInstanceOf(WireError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["more rows than announced", 1],
    ["fewer rows than announced", 3],
  ])("throws for %s", (_, announced) => {
    const [span] = fc.sample(spanArbitrary, { numRuns: 1, seed: 1 }) as [Span];
    const { bytes } = rowsOf([span, span]);
    expect(() => count({ bytes, count: announced })).toThrow(`the bytes of ${announced} rows hold 2`);
  });

  test("takes an array of four thousand million attributes for the truncation that it is", () => {
    // Empty tenant, service and resource attributes, then the columns of the scope.
    const bytes = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1, 0]);
    expect(() => count({ bytes, count: 1 })).toThrow("rows end at byte 19, inside a value");
  });

  test("takes a list of four thousand million bytes for the truncation that it is", () => {
    const bytes = Buffer.from([0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1, 0]);
    expect(() => count({ bytes, count: 1 })).toThrow("rows end at byte 11, inside a value");
  });

  test("finds no attribute in what is no list", () => {
    const list = attributeListOf([{ key: "a", value: { type: "string", value: "b" } }]);
    const scanner = new RowScanner();
    for (let at = 0; at < list.length; at++) {
      const damaged = Buffer.concat([Buffer.from([list.length]), list]);
      damaged[at + 1] = 0x20;
      scanner.open({ bytes: damaged, count: 1 });
      const read = () => {
        scanner.openAttributes(0);
        while (scanner.nextAttribute()) {
          if (scanner.valueType === "bool") {
            return;
          }
        }
      };
      // Key and value may be any bytes.
      if (at === 1 || at === 4) {
        expect(read).not.toThrow();
      } else {
        expect(read).toThrow(expect.objectContaining({ code: "WIRE_MALFORMED" }));
      }
    }
  });
});

function count(rows: SpanRows): number {
  const scanner = new RowScanner();
  scanner.open(rows);
  let seen = 0;
  while (scanner.next()) {
    seen++;
  }
  return seen;
}

function seen(scanner: RowScanner, bytes: Buffer) {
  return {
    tenant: bytes.toString("utf8", scanner.tenantStart, scanner.tenantEnd),
    format: spanFormats[scanner.format],
    service: bytes.toString("utf8", scanner.serviceStart, scanner.serviceEnd),
    resourceAttributes: attributesOf(scanner, scanner.resourceAttributesStart),
    traceId: bytes.toString("hex", scanner.traceIdAt, scanner.traceIdAt + 16),
    spanId: bytes.toString("hex", scanner.spanIdAt, scanner.spanIdAt + 8),
    parentSpanId: bytes.toString("hex", scanner.parentSpanIdAt, scanner.parentSpanIdAt + 8),
    isRoot: scanner.isRoot,
    flags: scanner.flags,
    name: bytes.toString("utf8", scanner.nameStart, scanner.nameEnd),
    kind: spanKinds[scanner.kind],
    start: bytes.readBigInt64LE(scanner.startAt),
    startUnixNs: scanner.startUnixNs,
    duration: bytes.readBigInt64LE(scanner.durationAt),
    durationNs: scanner.durationNs,
    status: statusCodes[scanner.status],
    attributes: attributesOf(scanner, scanner.attributesStart),
  };
}

function attributesOf(scanner: RowScanner, start: number): string[][] {
  const texts: string[][] = [];
  scanner.openAttributes(start);
  while (scanner.nextAttribute()) {
    texts.push([scanner.keyText, scanner.valueType, scanner.valueText]);
  }
  return texts;
}

function textsOf(attributes: Span["attributes"]): string[][] {
  return attributes.map(({ key, value }) => [key, value.type, attributeText(value)]);
}

function told(span: Span, tenant: string): ReturnType<typeof seen> {
  return {
    tenant,
    format: span.format,
    service: span.resource.serviceName,
    resourceAttributes: textsOf(span.resource.attributes),
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || "0".repeat(16),
    isRoot: span.parentSpanId === "",
    flags: span.flags,
    name: span.name,
    kind: span.kind,
    start: span.startTimeUnixNano,
    startUnixNs: Number(span.startTimeUnixNano),
    duration: span.durationNano,
    durationNs: Number(span.durationNano),
    status: span.status.code,
    attributes: textsOf(span.attributes),
  };
}

function firstTexts(attributes: Span["attributes"]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { key, value } of attributes) {
    if (!texts.has(key)) {
      texts.set(key, attributeText(value));
    }
  }
  return texts;
}
