import fc from "fast-check";
import { expect, test } from "vitest";
import { WireError } from "../errors.ts";
import { type AttributeType, attributeTypeCodes } from "../model/attribute.ts";
import { damagedMessage, randomOf } from "../testing/damaged-message.ts";
import { tupleOf } from "../testing/details-text-of.ts";
import { firstLayoutOf } from "../testing/first-layout-of.ts";
import { attributeValueArbitrary, spanArbitrary } from "../testing/span-arbitrary.ts";
import { storedRowsOf } from "../testing/stored-rows-of.ts";
import { attributeText } from "./attribute-text.ts";
import { SpanBlock } from "./block/span-block.ts";
import { ByteWriter } from "./byte-writer.ts";
import { DetailsText } from "./details-text.ts";
import { fromFirstLayout } from "./from-first-layout.ts";
import { PackedSpans } from "./packed-spans.ts";
import { parseAttributeText } from "./parse-attribute-text.ts";
import { readSpanRows } from "./read-span-rows.ts";
import { readStoredRows } from "./read-stored-rows.ts";
import { RowReader } from "./row-reader.ts";
import { RowScanner } from "./row-scanner.ts";
import { SpanRowWriter } from "./span-row-writer.ts";

/** Number of rounds; more with `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 1_000);
const timeoutMs = 20_000 + rounds * 2;

/** In every second pair, the second span shares resource and scope with the first. */
const batches = fc
  .sample(fc.array(spanArbitrary, { minLength: 1, maxLength: 2 }), { seed: 7, numRuns: 50 })
  .map((spans, index) => {
    const { resource, scope, format } = spans[0] as (typeof spans)[number];
    return index % 2 === 0 ? spans : spans.map((span) => ({ ...span, resource, scope, format }));
  });
const types = Object.keys(attributeTypeCodes) as AttributeType[];

/** Returns a text of what it read, or throws a WireError. */
type Read = (message: Buffer, random: (below: number) => number) => string;

const block = new SpanBlock();

function rowsOf(spans: (typeof batches)[number]): Buffer {
  const writer = new SpanRowWriter();
  for (const span of spans) {
    writer.append(span, "tenant");
  }
  return Buffer.from(writer.take().bytes);
}

const readers: readonly [name: string, read: Read, messages: readonly Uint8Array[]][] = [
  [
    "rows of the store",
    (rows, random) => {
      const cut = random(rows.length);
      const packed = new PackedSpans();
      let ids = "";
      const onSpan = ({ traceId }: { readonly traceId: string }) => {
        ids += traceId;
      };
      packed.add([rows.subarray(0, cut)], onSpan);
      packed.add([rows.subarray(cut)], onSpan);
      packed.end();
      const spans = readStoredRows(rows);
      expect(ids).toBe(spans.map(({ traceId }) => traceId).join(""));
      for (const [index, { spanId }] of spans.entries()) {
        const { bytes, spanIdAt } = packed.fieldsAt(index);
        expect(bytes.toString("hex", spanIdAt, spanIdAt + 8)).toBe(spanId);
      }
      expect(spans.map((_, index) => packed.at(index))).toEqual(spans);
      return `${packed.length} spans`;
    },
    batches.map((spans) => storedRowsOf(spans)),
  ],
  ["rows, as objects", (rows) => `${readSpanRows(rows).length} spans`, batches.map(rowsOf)],
  [
    "texts of details",
    (text) => {
      const details = new DetailsText(new RowReader(text));
      details.open(0, text.length);
      return `${details.origin().scopeAttributes.length} attributes, ${details.own().links.length} links`;
    },
    batches.flat().map(tupleOf),
  ],
  [
    "rows, walked",
    (rows) => {
      const scanner = new RowScanner();
      scanner.open({ bytes: rows, count: 2 });
      let seen = "";
      while (scanner.next()) {
        for (const start of [scanner.attributesStart, scanner.resourceAttributesStart]) {
          scanner.openAttributes(start);
          while (scanner.nextAttribute()) {
            seen += scanner.keyText + scanner.valueType + scanner.valueText;
          }
        }
        seen += scanner.attributeText("sampler.type") ?? "";
        expect(scanner.end).toBeLessThanOrEqual(rows.length);
      }
      return seen;
    },
    batches.filter(({ length }) => length === 2).map(rowsOf),
  ],
  [
    "rows, as a block",
    (rows) => {
      block.begin();
      block.add({ bytes: rows, count: 2 });
      const columns = Buffer.concat(block.pieces());
      expect(columns.length).toBeLessThan(2 * rows.length + 4_000);
      return `${columns.length} bytes`;
    },
    batches.filter(({ length }) => length === 2).map(rowsOf),
  ],
  [
    "rows of the first layout",
    (rows) => {
      const out = new ByteWriter();
      fromFirstLayout(rows, out);
      expect(out.length).toBeLessThan(10 * rows.length + 1_000);
      return `${out.length} bytes`;
    },
    batches.map((spans) => Buffer.concat(spans.map(firstLayoutOf))),
  ],
  [
    "texts of attributes",
    (message, random) => {
      const text = message.toString();
      // Most values are arrays and kvlists, because their parser is the most complex.
      const type = text.startsWith("[")
        ? "array"
        : text.startsWith("{")
          ? "kvlist"
          : types[random(types.length)];
      const value = parseAttributeText(type ?? "empty", text);
      const again = attributeText(value);
      expect(attributeText(parseAttributeText(value.type, again))).toBe(again);
      return again;
    },
    fc
      .sample(attributeValueArbitrary, { seed: 8, numRuns: 200 })
      .map((value) => Buffer.from(attributeText(value)))
      .filter(({ length }) => length > 0),
  ],
];

test.each(readers)(
  "reads damaged %s to the end or throws a WireError, never otherwise",
  (_name, read, messages) => {
    const random = randomOf(2026);
    const seen = { good: 0, refused: 0 };
    for (let round = 0; round < rounds; round++) {
      const message = damagedMessage(messages, random);
      try {
        read(message, random);
        seen.good++;
      } catch (error) {
        if (!(error instanceof WireError)) {
          throw new Error(`round ${round}: ${message.toString("hex")}`, { cause: error });
        }
        seen.refused++;
      }
    }
    expect(seen.good).toBeGreaterThan(rounds / 20);
    expect(seen.refused).toBeGreaterThan(rounds / 20);
  },
  timeoutMs,
);
