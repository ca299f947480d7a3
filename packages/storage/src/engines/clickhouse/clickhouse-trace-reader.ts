import type { Span } from "wire/model";
import { distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type { PackedTrace, ReadOptions, SpanReader, Trace } from "../../api/span-reader.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import type { ClickHouseConnection, QueryParameters } from "./clickhouse-connection.ts";
import { decodeSpans } from "./decode-spans.ts";
import { PackedAnswer } from "./packed-answer.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";

/** Ids of one query: they stand in the address of the request, and Node's servers take 16 KiB of headers. */
const idsPerQuery = 200;

/** Reads whole traces from one table, with one query for each 200 of them. */
export class ClickHouseTraceReader implements Pick<SpanReader, "getTraces" | "getPackedTraces"> {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #sql: string;
  readonly #maxReadBytes: number;

  /** @param sql gives rows for `readSpanRows`, for the parameters `ids` and `tenant` */
  constructor(connection: ClickHouseConnection, schema: SchemaGuard, sql: string, maxReadBytes: number) {
    this.#connection = connection;
    this.#schema = schema;
    this.#sql = sql;
    this.#maxReadBytes = maxReadBytes;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    const { signal } = options;
    const tenant = tenantOf(options);
    const ids = distinctTraceIds(traceIds);
    const spans: Span[] = [];
    let bytesLeft = this.#maxReadBytes;
    for (let first = 0; first < ids.length; first += idsPerQuery) {
      const parameters = { ids: ids.slice(first, first + idsPerQuery), tenant };
      const rows = await this.#schema.run(
        () => this.#connection.bytes(this.#sql, parameters, bytesLeft, signal),
        signal,
      );
      bytesLeft -= rows.length;
      for (const span of decodeSpans(rows)) spans.push(span);
    }
    return tracesInOrder(ids, spans);
  }

  async getPackedTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<PackedTrace[]> {
    const { signal } = options;
    const tenant = tenantOf(options);
    const ids = distinctTraceIds(traceIds);
    const traces: PackedTrace[] = [];
    let bytesLeft = this.#maxReadBytes;
    for (let first = 0; first < ids.length; first += idsPerQuery) {
      const some = ids.slice(first, first + idsPerQuery);
      const answer = await this.#schema.run(
        () => this.#packedAnswer(this.#sql, { ids: some, tenant }, bytesLeft, signal),
        signal,
      );
      bytesLeft -= answer.bytes;
      for (const id of some) {
        const trace = await answer.trace(id);
        if (trace !== undefined) traces.push(trace);
      }
    }
    return traces;
  }

  async #packedAnswer(
    sql: string,
    parameters: QueryParameters,
    maxBytes: number,
    signal: AbortSignal | undefined,
  ): Promise<PackedAnswer> {
    let answer = new PackedAnswer();
    const begin = () => {
      answer = new PackedAnswer();
      return answer;
    };
    await this.#connection.pieces(sql, parameters, maxBytes, begin, signal);
    answer.end();
    return answer;
  }
}
