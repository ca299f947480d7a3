import type { Span } from "wire/model";
import { StoredOrigins } from "wire/rows/packed-spans";
import { distinctTraceIds, tenantOf } from "../../api/checked-query.ts";
import type { PackedTrace, ReadOptions, SpanReader, Trace } from "../../api/span-reader.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import { decodeSpans, tooLarge } from "./calls/answer-stream.ts";
import { type ReadCall, readCall } from "./calls/read-call.ts";
import type { AnswerSize, ClickHouseConnection } from "./clickhouse-connection.ts";
import { PackedAnswer } from "./packed-answer.ts";
import type { QueryParameters } from "./parameter-text.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import { namingTraces, onOneThread } from "./schema/span-sql.ts";

/**
 * Ids in one query; more ids are split over several queries. On a cluster, the request's address contains the ids that
 * all shards must search, and Node's servers accept 16 KiB of headers.
 */
const idsPerQuery = 200;

/** Size limit of a read, and the callback that gets the number of its spans. */
interface PackedRead {
  /** Size limit of the answer in bytes; a longer answer makes the read fail. */
  readonly maxBytes: number;
  /** Called before the rows are read, with their number and, if known, their size in bytes. */
  readonly onCount: (spans: number, bytes?: number) => void;
  /** Signal and kind of the read. */
  readonly read: ReadCall;
}

/** Reads whole traces from one table, with one query for each 200 ids. */
export class ClickHouseTraceReader implements Pick<SpanReader, "getTraces" | "getPackedTraces"> {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #sql: string;
  readonly #maxReadBytes: number;
  readonly #isCluster: boolean;
  readonly #justArrived: string | undefined;
  readonly #origins = new StoredOrigins();

  /**
   * @param sql query with the parameters `ids` and `tenant`, which returns rows for `readStoredRows`
   * @param settings `isCluster`: traces are first read from the shard that their ids determine; `justArrived`: SQL for
   * rows that `sql` does not find yet
   */
  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    sql: string,
    settings: { readonly maxReadBytes: number; readonly isCluster?: boolean; readonly justArrived?: string },
  ) {
    this.#connection = connection;
    this.#schema = schema;
    this.#sql = sql;
    this.#maxReadBytes = settings.maxReadBytes;
    this.#isCluster = settings.isCluster ?? false;
    this.#justArrived = settings.justArrived;
  }

  async getTraces(traceIds: readonly string[], options: ReadOptions = {}): Promise<Trace[]> {
    const { signal } = options;
    const tenant = tenantOf(options);
    const ids = distinctTraceIds(traceIds);
    const spans: Span[] = [];
    let bytesLeft = this.#maxReadBytes;
    for (let first = 0; first < ids.length; first += idsPerQuery) {
      const some = ids.slice(first, first + idsPerQuery);
      const before = spans.length;
      const known = () => new Set(spans.slice(before).map(({ traceId }) => traceId));
      for (const { sql, parameters, isOfFewShards } of this.#queries(some, known)) {
        const read = readCall(options, "trace", isOfFewShards);
        const rows = await this.#schema.run(
          () => this.#connection.bytes(sql, { ...parameters, tenant }, bytesLeft, read),
          signal,
        );
        bytesLeft -= rows.length;
        for (const span of decodeSpans(rows)) {
          spans.push(span);
        }
      }
    }
    return tracesInOrder(ids, spans);
  }

  async getPackedTraces(
    traceIds: readonly string[],
    options: ReadOptions = {},
    onCount: (spans: number, bytes?: number) => void = () => {},
  ): Promise<PackedTrace[]> {
    const { signal } = options;
    const tenant = tenantOf(options);
    const ids = distinctTraceIds(traceIds);
    const traces: PackedTrace[] = [];
    let bytesLeft = this.#maxReadBytes;
    for (let first = 0; first < ids.length; first += idsPerQuery) {
      const some = ids.slice(first, first + idsPerQuery);
      const answers: PackedAnswer[] = [];
      const known = () => new Set(some.filter((id) => answers.some((answer) => answer.has(id))));
      for (const { sql, parameters, isOfFewShards } of this.#queries(some, known)) {
        const read = readCall(options, "trace", isOfFewShards);
        const answer = await this.#schema.run(
          () => this.#packedAnswer(sql, { ...parameters, tenant }, { maxBytes: bytesLeft, onCount, read }),
          signal,
        );
        bytesLeft -= answer.bytes;
        answers.push(answer);
      }
      for (const id of some) {
        const trace = await answers.find((answer) => answer.has(id))?.trace(id);
        if (trace !== undefined) {
          traces.push(trace);
        }
      }
    }
    return traces;
  }

  async #packedAnswer(
    sql: string,
    parameters: QueryParameters,
    { maxBytes, onCount, read }: PackedRead,
  ): Promise<PackedAnswer> {
    let answer = new PackedAnswer(this.#origins);
    const begin = (size: AnswerSize | undefined) => {
      if (size !== undefined) {
        if ((size.bytes ?? 0) > maxBytes) {
          throw tooLarge(maxBytes);
        }
        onCount(size.rows, size.bytes);
      }
      answer = new PackedAnswer(this.#origins);
      return answer;
    };
    await this.#connection.pieces({ sql, parameters, maxBytes }, begin, read);
    answer.end();
    return answer;
  }

  /** @param known ids of the traces that earlier queries found */
  *#queries(
    ids: readonly string[],
    known: () => ReadonlySet<string>,
  ): Generator<{
    readonly sql: string;
    readonly parameters: QueryParameters;
    readonly isOfFewShards: boolean;
  }> {
    const sql = ids.length === 1 ? onOneThread(this.#sql) : this.#sql;
    yield { sql: namingTraces(sql, ids), parameters: {}, isOfFewShards: this.#isCluster && ids.length === 1 };
    const missing = () => {
      const found = known();
      return ids.filter((id) => !found.has(id));
    };
    if (this.#isCluster && missing().length > 0) {
      // After a shard was added, older traces stay in other shards, so all shards are searched.
      yield { sql: this.#sql, parameters: { ids: missing() }, isOfFewShards: false };
    }
    if (this.#justArrived !== undefined && missing().length > 0) {
      // If the statement contains the ids, the id index can skip recent rows. On a cluster, the ids would also exclude
      // shards.
      yield this.#isCluster
        ? { sql: this.#justArrived, parameters: { ids: missing() }, isOfFewShards: false }
        : { sql: namingTraces(this.#justArrived, missing()), parameters: {}, isOfFewShards: false };
    }
  }
}
