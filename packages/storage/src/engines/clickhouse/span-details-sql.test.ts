import { describe, expect, test } from "vitest";
import type { Span, SpanLink } from "wire/model";
import { rowsOfTenant } from "../../contract/contract-context.ts";
import {
  attribute,
  fullOtlpSpan,
  newTraceId,
  olderModelSpan,
  sampleSpan,
} from "../../contract/sample-spans.ts";
import { shareTestStore } from "../../testing/shared-test-store.ts";
import { type DetailColumn, detailColumns } from "./schema/span-details-migration.ts";
import { detailOf } from "./span-details-sql.ts";

const shared = shareTestStore();
const { database } = shared;
const names = Object.keys(detailColumns) as DetailColumn[];

async function stored(span: Span): Promise<string> {
  await shared.store.writer.writeSpans(rowsOfTenant("", span), { deduplicationToken: span.traceId });
  expect(await shared.store.reader.getTraces([span.traceId])).toEqual([
    { traceId: span.traceId, spans: [span] },
  ]);
  return await shared.sql(
    `SELECT span_details FROM ${database}.spans WHERE trace_id = unhex('${span.traceId}') FORMAT TSVRaw`,
  );
}

const parentSpanId = "27".repeat(8);

/** A span whose only link points to its parent, except for the given fields of the link. */
function child(link: Partial<SpanLink> = {}): Span {
  const traceId = newTraceId();
  const parent: SpanLink = {
    ...{ traceId, spanId: parentSpanId, traceState: "", attributes: [], droppedAttributesCount: 0 },
    ...{ flags: 0, refType: "child_of" },
  };
  return sampleSpan({ traceId, parentSpanId, links: [{ ...parent, ...link }] });
}

describe("what few spans have", () => {
  test("is nothing for most, one word where the parent is the only link, and otherwise a tuple", async () => {
    expect(await stored(sampleSpan({}))).toBe("");
    expect(await stored(child())).toBe("parent");
    expect(await stored(fullOtlpSpan())).toMatch(/^\(/);
    expect(await stored(olderModelSpan("jaeger"))).toMatch(/^\(/);
    expect(await stored({ ...child(), warnings: ["parent"] })).toMatch(/^\(/);
  });

  const others: Partial<SpanLink>[] = [
    { traceId: "11".repeat(16) },
    { spanId: "11".repeat(8) },
    { traceState: "a=b" },
    { attributes: [attribute("a", { type: "empty" })] },
    { droppedAttributesCount: 1 },
    { flags: 1 },
    { refType: "follows_from" },
  ];
  test.each(others)("is a tuple for a link that is no plain parent: %o", async (link) => {
    expect(await stored(child(link))).toMatch(/^\(/);
  });

  test("comes back byte by byte, whatever bytes it has", async () => {
    // Each row has all byte values, starting with a different byte: arbitrary ids, and texts with quotes, marks and
    // invalid UTF-8.
    const all = "arrayStringConcat(arrayMap(i -> char((i + number) % 256), range(256)))";
    const id = (bytes: number) => `toFixedString(substring(${all}, 1, ${bytes}), ${bytes})`;
    const attributes = `[(${all}, 'bytes', ${all}), ('', 'empty', ')]'), (${all}, 'string', '\\\\')]`;
    const values: Record<DetailColumn, string> = {
      resource_dropped_attributes: "4294967295 - number",
      scope_attributes: attributes,
      scope_dropped_attributes: "number",
      dropped_attributes: "number + 1",
      dropped_events: "number + 2",
      links: `[(${id(16)}, ${id(8)}, ${all}, ${attributes}, number + 3, number + 4, 'follows_from'), (toFixedString('', 16), toFixedString('', 8), '', [], 0, 0, 'none')]`,
      dropped_links: "number + 5",
      warnings: `[${all}, '', '\\'', '(', 'parent']`,
    };
    const casts = names.map((name) => `CAST(${values[name]} AS ${detailColumns[name]})`);
    await shared.sql(
      `INSERT INTO ${database}.archived_spans (trace_id, ${names.join(", ")}) SELECT ${id(16)}, ${casts.join(", ")} FROM numbers(256)`,
    );
    const hash = (columns: readonly string[]) =>
      `SELECT count(), groupBitXor(sipHash64(trace_id, ${columns.join(", ")}))`;
    const expected = await shared.sql(
      `${hash(casts)} FROM (SELECT number, ${id(16)} AS trace_id FROM numbers(256))`,
    );
    const columns = names.map(detailOf);
    expect(await shared.sql(`${hash(columns)} FROM ${database}.archived_spans`)).toBe(expected);
    await shared.sql(`OPTIMIZE TABLE ${database}.archived_spans FINAL`);
    expect(await shared.sql(`${hash(columns)} FROM ${database}.archived_spans`)).toBe(expected);
  });
});
