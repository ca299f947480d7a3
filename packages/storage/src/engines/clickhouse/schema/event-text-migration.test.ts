import fc from "fast-check";
import { expect, test } from "vitest";
import type { Span } from "wire/model";
import { SpanRowWriter, spanColumns } from "wire/rows";
import { spanArbitrary } from "wire/testing";
import { rowsOfTenant } from "../../../contract/contract-context.ts";
import { newTraceId, noonUnixNano } from "../../../contract/sample-spans.ts";
import { shareTestStore } from "../../../testing/shared-test-store.ts";

const shared = shareTestStore();
const { database } = shared;

/** Inserts rows with events and scopes as columns, as collectors of older versions do. */
async function insertColumns(spans: readonly Span[]): Promise<void> {
  const writer = new SpanRowWriter();
  const rows = spans.map((span) => {
    writer.append(span);
    return Buffer.from(writer.take().bytes);
  });
  const sql = `INSERT INTO ${database}.spans (${spanColumns.map(({ name }) => name).join(", ")}) FORMAT RowBinary`;
  const answer = await fetch(`${shared.url}/?query=${encodeURIComponent(sql)}`, {
    method: "POST",
    body: Buffer.concat(rows),
  });
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
}

async function textsOf(traceId: string): Promise<string[]> {
  const sql = `SELECT hex(event_text), hex(scope_text) FROM ${database}.spans WHERE trace_id = unhex('${traceId}') ORDER BY span_id FORMAT TSV`;
  return (await shared.sql(sql)).split("\n");
}

test("makes of columns what collectors send as texts, byte for byte", async () => {
  const someSpans = fc.array(spanArbitrary, { minLength: 40, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(someSpans, async (some) => {
      const [sent, made] = [newTraceId(), newTraceId()];
      const of = (traceId: string) =>
        some.map(
          (span, index): Span => ({
            ...span,
            traceId,
            spanId: (index + 1).toString(16).padStart(16, "0"),
            startTimeUnixNano: noonUnixNano,
          }),
        );
      await shared.store.writer.writeSpans(rowsOfTenant("", ...of(sent)), { deduplicationToken: sent });
      await insertColumns(of(made));
      const texts = await textsOf(sent);
      expect(texts).toHaveLength(some.length);
      expect(texts.some((text) => text.startsWith("FD"))).toBe(true);
      expect(await textsOf(made)).toEqual(texts);
    }),
    { numRuns: 5 },
  );
});
