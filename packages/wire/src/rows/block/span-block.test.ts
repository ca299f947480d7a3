import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireError } from "../../errors.ts";
import { adjustedCount } from "../../model/adjusted-count.ts";
import type { Span } from "../../model/span.ts";
import { readNativeBlock } from "../../testing/read-native-block.ts";
import { spanArbitrary } from "../../testing/span-arbitrary.ts";
import { readSpanRows } from "../read-span-rows.ts";
import { spanColumns } from "../span-columns.ts";
import { SpanRowWriter } from "../span-row-writer.ts";
import type { SpanRows } from "../span-rows.ts";
import { SpanBlock } from "./span-block.ts";

function rowsOf(spans: readonly Span[], tenant = ""): SpanRows {
  const writer = new SpanRowWriter();
  for (const span of spans) {
    writer.append(span, tenant);
  }
  const rows = writer.take();
  return { bytes: Uint8Array.from(rows.bytes), count: rows.count };
}

function written(block: SpanBlock): ReturnType<typeof readNativeBlock> {
  const { columns } = block;
  const read = readNativeBlock(Buffer.concat(block.pieces()));
  expect(read.columns).toEqual(columns);
  return read;
}

/** Spans in the order of a block. */
function inOrder(spans: readonly Span[]): Span[] {
  const service = ({ resource }: Span) => Buffer.from(resource.serviceName);
  return spans.toSorted((one, other) => Buffer.compare(service(one), service(other)));
}

const [plain] = fc.sample(spanArbitrary, { seed: 5, numRuns: 1 }) as [Span];

/** A span with ids and no other content. */
const bare: Span = {
  ...plain,
  ...{ traceState: "", flags: 0, name: "", kind: "unspecified", attributes: [], droppedAttributesCount: 0 },
  ...{ events: [], droppedEventsCount: 0, links: [], droppedLinksCount: 0, warnings: [], format: "otlp" },
  status: { code: "unset", message: "" },
  resource: { serviceName: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
  scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
};

describe("SpanBlock", () => {
  test("has every value of every row, in any number of batches, block after block", () => {
    const block = new SpanBlock();
    const span = fc.oneof(spanArbitrary, fc.constantFrom(plain, bare));
    // Spans in which resources and scopes repeat, as in real batches.
    const spans = fc.array(fc.tuple(span, fc.boolean()), { minLength: 1, maxLength: 6 }).map((list) => {
      const [first] = list as [[Span, boolean]];
      const { resource, scope } = first[0];
      return list.map(([each, isShared]) => (isShared ? { ...each, resource, scope } : each));
    });
    fc.assert(
      fc.property(fc.array(spans, { minLength: 1, maxLength: 3 }), fc.string(), (batches, tenant) => {
        block.begin();
        const all = batches.map((batch) => rowsOf(batch, tenant));
        for (const rows of all) {
          block.add(rows);
        }
        const { bytes, count } = written(block);
        expect(count).toBe(batches.flat().length);
        expect(readSpanRows(bytes)).toEqual(
          inOrder(readSpanRows(Buffer.concat(all.map((rows) => rows.bytes)))),
        );
        // A row begins with the length of the tenant, then the tenant.
        const tenantBytes = rowsOf([bare], tenant).bytes.subarray(0, 1 + Buffer.byteLength(tenant));
        expect(bytes.includes(tenantBytes)).toBe(true);
      }),
    );
  });

  test("leaves out columns in which no row has anything", () => {
    const block = new SpanBlock();
    block.begin();
    block.add(rowsOf([bare, bare]));
    expect(block.columns).toEqual([
      ...["trace_id", "span_id", "parent_span_id", "name", "kind", "start", "duration", "attribute_text"],
      ...["scope_text", "adjusted_count"],
    ]);
    expect(readSpanRows(written(block).bytes)).toEqual([bare, bare]);
    block.begin();
    block.add(rowsOf([bare, plain], "t"));
    expect(block.columns.length).toBeGreaterThan(20);
    block.begin();
    block.add(rowsOf([bare], "t"));
    expect(block.columns[0]).toBe("tenant");
    expect(block.columns).toHaveLength(11);
    expect(spanColumns.length).toBe(29);
  });

  test("says what each span stands for", () => {
    const state = fc.constantFrom("", "ot=th:8", "a=b,ot=th:e666;rv:1", "ot=rv:1", "ot=th:0");
    const tag = fc.record({
      key: fc.constantFrom("sampling.probability", "sampler.type", "sampler.param", "http.sampled", "other"),
      value: fc.oneof(
        fc.constantFrom(0.25, 1, 0, 7).map((value) => ({ type: "double" as const, value })),
        fc.constantFrom("probabilistic", "0.5", "sampl").map((value) => ({ type: "string" as const, value })),
      ),
    });
    const span = fc.record({
      ...{ traceState: state, parentSpanId: fc.constantFrom("", "00000000000000aa") },
      attributes: fc.array(tag, { maxLength: 4 }),
      service: fc.constantFrom("a", "b"),
    });
    const block = new SpanBlock();
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 12 }), (list) => {
        const spans = list.map(({ service, ...fields }) => ({
          ...bare,
          ...fields,
          resource: { ...bare.resource, serviceName: service },
        }));
        block.begin();
        block.add(rowsOf(spans));
        expect(written(block).adjustedCounts).toEqual(inOrder(spans).map(adjustedCount));
      }),
    );
  });

  test("has rows of the first 256 services in the order of services, and all others behind them as they came", () => {
    const services = Array.from({ length: 530 }, (_, index) => `s${(index * 37) % 530}`);
    const spans = [...services, ...services].map((serviceName, index) => ({
      ...bare,
      spanId: index.toString(16).padStart(16, "0"),
      resource: { ...bare.resource, serviceName },
    }));
    const block = new SpanBlock();
    block.begin();
    block.add(rowsOf(spans));
    const known = new Set(services.slice(0, 256));
    const isKnown = ({ resource }: Span) => known.has(resource.serviceName);
    expect(readSpanRows(written(block).bytes)).toEqual([
      ...inOrder(spans.filter(isKnown)),
      ...spans.filter((span) => !isKnown(span)),
    ]);
    // The group of a service that no longer occurs is reused from the second next block on.
    for (let times = 0; times < 2; times++) {
      block.begin();
      block.add(rowsOf(spans.slice(500, 700)));
    }
    expect(readSpanRows(written(block).bytes)).toEqual(inOrder(spans.slice(500, 700)));
  });

  test("is the same when it is asked for once more, as for a server that refuses the first", () => {
    fc.assert(
      fc.property(fc.array(spanArbitrary, { minLength: 1, maxLength: 8 }), (spans) => {
        const block = new SpanBlock();
        block.begin();
        block.add(rowsOf(spans));
        const first = Buffer.concat(block.pieces());
        expect(Buffer.concat(block.pieces())).toEqual(first);
      }),
      { numRuns: 30 },
    );
  });

  test.each([256, 257, 1_500])("tells %i resources apart, and knows them again", (count) => {
    const resources = Array.from({ length: count }, (_, index) => ({
      ...bare.resource,
      serviceName: "s",
      attributes: [{ key: "host.name", value: { type: "string" as const, value: `h${index}` } }],
    }));
    const spans = resources.map((resource) => ({ ...bare, resource }));
    const rows = rowsOf([...spans, ...spans]);
    const block = new SpanBlock();
    block.begin();
    block.add(rows);
    const bytes = Buffer.concat(block.pieces());
    expect(readSpanRows(readNativeBlock(bytes).bytes)).toEqual(readSpanRows(rows.bytes));
    const indexBytes = count <= 256 ? 1 : 2;
    // Size of a block: ids, name, kind, times, attributes and adjusted count of each span; indexes of service, resource
    // and scope; each resource once.
    expect(bytes.length).toBeLessThan(count * (2 * (59 + 3 * indexBytes) + 27) + 600);
  });

  test("throws for rows cut anywhere, and for more or fewer than were said, and is good again after `begin`", () => {
    const block = new SpanBlock();
    fc.assert(
      fc.property(spanArbitrary, fc.nat(), (span, cut) => {
        const { bytes } = rowsOf([span, span]);
        block.begin();
        expect(() => block.add({ bytes: bytes.subarray(0, cut % bytes.length), count: 2 })).toThrow(
          WireError,
        );
        for (const count of [0, 1, 3]) {
          block.begin();
          expect(() => block.add({ bytes, count })).toThrow(WireError);
        }
        block.begin();
        block.add({ bytes, count: 2 });
        expect(readSpanRows(written(block).bytes)).toEqual(readSpanRows(bytes));
      }),
      { numRuns: 30 },
    );
  });
});
