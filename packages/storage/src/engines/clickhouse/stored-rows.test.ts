import fc from "fast-check";
import { expect, test } from "vitest";
import type { Span } from "wire/model";
import { readSpanRows, readStoredRows, spanColumns, storedColumns } from "wire/rows";
import { spanArbitrary } from "wire/testing";
import { rowsOfTenant } from "../../contract/contract-context.ts";
import { newTraceId, noonUnixNano } from "../../contract/sample-spans.ts";
import { shareTestStore } from "../../testing/shared-test-store.ts";
import { type DetailColumn, detailColumns } from "./schema/span-details-migration.ts";

const shared = shareTestStore();
const { database } = shared;

test("gives back whatever details spans have, as objects, as packed rows and archived", async () => {
  const someSpans = fc.array(spanArbitrary, { minLength: 36, maxLength: 36 });
  await fc.assert(
    fc.asyncProperty(someSpans, async (some) => {
      // Times of any year are tested elsewhere. Three spans share a trace, in their order.
      const traceIds = some.map(() => newTraceId());
      const spans = some.map(
        (span, index): Span => ({
          ...span,
          traceId: traceIds[index - (index % 3)] as string,
          startTimeUnixNano: noonUnixNano + BigInt(index),
        }),
      );
      const ids = [...new Set(spans.map(({ traceId }) => traceId))];
      const expected = ids.map((traceId) => ({
        traceId,
        spans: spans.filter((span) => span.traceId === traceId),
      }));
      const rows = rowsOfTenant("", ...spans);
      await shared.store.writer.writeSpans(rows, { deduplicationToken: ids[0] as string });
      await shared.store.archive.writer.writeSpans(rows, { deduplicationToken: ids[0] as string });
      const inOrder = <T extends { traceId: string }>(traces: readonly T[]) =>
        traces.toSorted((a, b) => ids.indexOf(a.traceId) - ids.indexOf(b.traceId));
      for (const reader of [shared.store.reader, shared.store.archive.reader]) {
        expect(inOrder(await reader.getTraces(ids))).toEqual(expected);
        const packed = inOrder((await reader.getPackedTraces?.(ids)) ?? []);
        const unpacked = packed.map(({ traceId, spans }) => ({
          traceId,
          spans: Array.from({ length: spans.length }, (_, index) => spans.at(index)),
        }));
        expect(unpacked).toEqual(expected);
      }
    }),
    { numRuns: 5 },
  );
});

async function binary(sql: string): Promise<Uint8Array> {
  const response = await fetch(shared.url, { method: "POST", body: `${sql} FORMAT RowBinary` });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  return new Uint8Array(await response.arrayBuffer());
}

test("reads a text as what it was made of, whatever bytes that has", async () => {
  // Each row has all byte values, starting with a different byte.
  const all = "arrayStringConcat(arrayMap(i -> char((i + number) % 256), range(256)))";
  const id = (bytes: number) => `toFixedString(substring(${all}, 1, ${bytes}), ${bytes})`;
  const attributes = `[(${all}, 'string', ${all}), ('', 'empty', ')]'), (${all}, 'string', '\\\\')]`;
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
  const details = new Map<string, string>(
    Object.entries(detailColumns).map(([name, type]) => [
      name,
      `CAST(${values[name as DetailColumn]} AS ${type})`,
    ]),
  );
  const other = ({ name, type }: { name: string; type: string }) =>
    details.get(name) ?? `defaultValueOfTypeName('${type.replaceAll("'", "\\'")}')`;
  const written = spanColumns.map(other).join(", ");
  const spans = readSpanRows(await binary(`SELECT ${written} FROM numbers(256)`));
  expect(spans[7]?.warnings).toHaveLength(5);
  const types = new Map<string, string>(spanColumns.map(({ name, type }) => [name, type]));
  const texts: Readonly<Record<string, string>> = {
    scope_text: "'\\xFF\\xFF\\xFF'",
    event_text: "''",
    span_details: `toString(tuple(${[...details.values()].join(", ")}))`,
  };
  const stored = storedColumns.map((name) => texts[name] ?? other({ name, type: types.get(name) ?? "" }));
  expect(readStoredRows(await binary(`SELECT ${stored.join(", ")} FROM numbers(256)`))).toEqual(spans);
});

test("refuses rows whose details are none", async () => {
  const traceId = newTraceId();
  await shared.sql(
    `INSERT INTO ${database}.archived_spans (trace_id, span_details) VALUES (unhex('${traceId}'), '(0,[],0,0,0,[],0,[]')`,
  );
  await expect(shared.store.archive.reader.getTraces([traceId])).rejects.toThrow(
    expect.objectContaining({ name: "StorageError", code: "STORAGE_REFUSED" }),
  );
});
