import type { SpanWriter, WriteOptions } from "../../api/span-writer.ts";
import { runSql } from "../../engines/clickhouse/test-server.ts";

/** Counts the rows of confirmed blocks, once for each token. */
export class AcknowledgedRows {
  readonly #byToken = new Map<string, number>();

  /** Wraps a writer so that its confirmed blocks are counted. */
  countedBy(writer: SpanWriter): SpanWriter {
    const note = ({ count }: { readonly count: number }, options: WriteOptions) => {
      const day = new Date(options.receivedUnixMs ?? Date.now()).toISOString().slice(0, 10);
      this.#byToken.set(`${day}/${options.deduplicationToken}`, count);
    };
    return {
      async writeSpans(rows, options) {
        await writer.writeSpans(rows, options);
        note(rows, options);
      },
      async writeSpanSource(rows, options) {
        if (writer.writeSpanSource === undefined) {
          throw new Error("this writer takes no source");
        }
        await writer.writeSpanSource(rows, options);
        note(rows, options);
      },
    };
  }

  get total(): number {
    return [...this.#byToken.values()].reduce((sum, rows) => sum + rows, 0);
  }
}

/** Row counts of a cluster's tables at one moment. */
interface StoredRows {
  /** Rows of `spans` in the whole cluster. */
  readonly spans: number;
  /** Number of spans that `span_metrics` counts, after copies were subtracted. */
  readonly counted: number;
  /** Number of spans that cannot be found by their id. */
  readonly withoutMinute: number;
  /** Number of spans that are in a different shard than their id requires. */
  readonly astray: number;
}

/** @param shards number of shards, all with equal weight */
export async function storedRows(url: string, database: string, shards: number): Promise<StoredRows> {
  const target = new URL(url);
  target.searchParams.set("distributed_product_mode", "local");
  target.searchParams.set("max_distributed_depth", "64");
  const answer = await runSql(
    target.href,
    `SELECT toUInt32(count()) AS spans, 
  (SELECT toUInt32(sum(calls)) FROM ${database}.span_metrics) + (SELECT toUInt32(sum(copies)) FROM ${database}.repeated_spans) AS counted,
  toUInt32(countIf((trace_id, toStartOfMinute(start)) NOT IN (SELECT trace_id, minute FROM ${database}.trace_minutes))) AS withoutMinute,
  toUInt32(countIf(cityHash64(trace_id) % ${shards} != _shard_num - 1)) AS astray
FROM ${database}.spans FORMAT JSONEachRow`,
  );
  return JSON.parse(answer) as StoredRows;
}
