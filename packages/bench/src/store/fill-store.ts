import type { TraceStore } from "storage/api";
import { OtlpTranscoder } from "wire/otlp";
import { Corpus } from "../corpus/corpus.ts";
import { storeSql } from "./store-sql.ts";

/** Number of spans with which a store is filled. */
export interface FillSize {
  readonly hours: number;
  /** Published results use `millionPerHour`: more spans are more hours. A multiple of 100. */
  readonly spansPerHour: number;
}

export const millionPerHour = 1_000_000;
/** A large trace; it has fewer spans when a twentieth of an hour is fewer. */
export const largeTrace = { traceId: "1a4e".repeat(8), spans: 50_000 } as const;

/** Spans of one export request. */
export const batchSpans = 100;
const blockSpans = 50_000;
const hourMs = 3_600_000;
const piecesPerHour = 4;

/**
 * Fills a store with hours of spans; the last hour ends at `endUnixMs`. The oldest hour is written through the store's
 * writer, in blocks like the collector's. Each later hour is a copy with other trace ids, made by the engine. The
 * newest hour has one trace of 50,000 spans.
 * @param url HTTP port of the same store
 * @param database an empty database
 */
export async function fillStore(
  store: TraceStore,
  url: string,
  database: string,
  { hours, spansPerHour }: FillSize,
  endUnixMs: number,
  progress: (line: string) => void,
): Promise<void> {
  await store.ready();
  const oldestEndMs = endUnixMs - (hours - 1) * hourMs;
  await writeHour(store, oldestEndMs, spansPerHour);
  progress("filled: 1 hour");
  const columns = (
    await storeSql(
      url,
      `SELECT name FROM system.columns WHERE database = '${database}' AND table = 'spans' ` +
        "AND default_kind NOT IN ('EPHEMERAL', 'MATERIALIZED', 'ALIAS') ORDER BY position FORMAT TSV",
    )
  ).split("\n");
  const oldest = `s.start <= fromUnixTimestamp64Milli(${oldestEndMs})`;
  const copy = (hour: number, traceId: string, which: string) => {
    const start = `s.start + toIntervalHour(${hour})`;
    const changed: Record<string, string> = { trace_id: traceId, start, received: `toDate(${start})` };
    return storeSql(
      url,
      `INSERT INTO ${database}.spans (${columns.join(", ")}) SELECT ` +
        columns.map((column) => changed[column] ?? `s.${column}`).join(", ") +
        ` FROM ${database}.spans AS s WHERE ${oldest} ${which} SETTINGS max_insert_threads = 1`,
    );
  };
  for (let hour = 1; hour < hours; hour++) {
    // Each block has whole traces, as collectors usually write them, so that parents and children are matched on
    // arrival.
    for (let piece = 0; piece < piecesPerHour; piece++) {
      const which = `AND cityHash64(s.trace_id) % ${piecesPerHour} = ${piece}`;
      await copy(hour, `sipHash128(s.trace_id, ${hour})`, which);
    }
    progress(`filled: ${hour + 1} hours`);
  }
  const traceId = `toFixedString(unhex('${largeTrace.traceId}'), 16)`;
  const largeSpans = Math.min(largeTrace.spans, Math.ceil(spansPerHour / 20));
  await copy(hours - 1, traceId, `ORDER BY s.start LIMIT ${largeSpans}`);
}

async function writeHour(store: TraceStore, endUnixMs: number, spansPerHour: number): Promise<void> {
  const corpus = new Corpus(batchSpans, 1, 7);
  const transcoder = new OtlpTranscoder();
  const batches = spansPerHour / batchSpans;
  let pending: Uint8Array[] = [];
  for (let batch = 1; batch <= batches; batch++) {
    const nowMs = Math.floor(endUnixMs - hourMs + (batch * hourMs) / batches);
    // A copy, because the transcoder overwrites the bytes in its next call.
    pending.push(Buffer.from(transcoder.transcode(corpus.next(nowMs).body).rows.bytes));
    if (pending.length * batchSpans < blockSpans && batch < batches) {
      continue;
    }
    await store.writer.writeSpans(
      { bytes: Buffer.concat(pending), count: pending.length * batchSpans },
      { deduplicationToken: `fill-${endUnixMs}-${batch}`, receivedUnixMs: nowMs },
    );
    pending = [];
  }
}
