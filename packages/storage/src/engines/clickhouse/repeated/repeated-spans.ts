import { randomUUID } from "node:crypto";
import type { SamplingStore } from "../../../api/sampling-store.ts";
import { StorageError } from "../../../api/storage-error.ts";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import type { SchemaGuard } from "../schema/schema-guard.ts";
import {
  type ArrivedSpans,
  arrivedSql,
  type CopyWindow,
  lateSql,
  maxNamedIds,
  maxSpans,
  maxWindow,
  noteRepeatedSql,
  suspectIdsSql,
  windowOf,
  windowToTry,
} from "./repeated-spans-sql.ts";

/** Minimum time in milliseconds between a block and its step, so that blocks that arrive together share one step. */
const minWaitMs = 500;
const maxWaitMs = 20_000;
/**
 * Wait in milliseconds for each span that the last step compared. Searching takes 110 to 160 ns for each span, so all
 * steps together take up to 1.6 % of a core.
 */
const waitPerSpanMs = 0.01;
/** Window of the first step in seconds, while the rate of spans is unknown. */
const firstWindow = 60;
/** Seconds added to the time since the last step, because a span arrives before its block can be read. */
const insertSeconds = 60;

/** Runs `work` on one server of each shard; without shards, once. @param tables returns the names of local tables */
export type OnEachShard = (
  work: (server: ClickHouseConnection, tables: (table: string) => string) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

/** Dependencies besides the connection. */
interface RepeatedSpansParts {
  readonly database: string;
  readonly leases: Pick<SamplingStore, "acquireLease">;
  readonly onEachShard?: OnEachShard | undefined;
}

/**
 * Finds spans that are stored more than once, and corrects the counts. Each written block starts a step half a second
 * later, unless another process has just run a step. In a busy store, steps are at most twenty seconds apart.
 */
export class RepeatedSpans {
  readonly #schema: SchemaGuard;
  readonly #leases: Pick<SamplingStore, "acquireLease">;
  readonly #onEachShard: OnEachShard;
  readonly #owner = randomUUID();
  readonly #closed = new AbortController();
  #waitMs = minWaitMs;
  /** Window of the next step in seconds. */
  #window = firstWindow;
  #timer: NodeJS.Timeout | undefined;
  #step: Promise<void> | undefined;
  /** Start of this process's last step, by the clock of `performance.now`. */
  #begunMs: number | undefined;
  /** True when a block was written during a step, or when the records of a step must be checked again. */
  #isBehind = false;
  /** Number of ids that the last step checked one by one. */
  #suspects = 0;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    {
      database,
      leases,
      onEachShard = (work) => work(connection, (table) => `${database}.${table}`),
    }: RepeatedSpansParts,
  ) {
    this.#schema = schema;
    this.#leases = leases;
    this.#onEachShard = onEachShard;
  }

  /** Called after each block. The writer does not wait for the step. */
  blockWritten(): void {
    if (this.#step !== undefined) {
      this.#isBehind = true;
    } else if (this.#timer === undefined && !this.#closed.signal.aborted) {
      this.#timer = setTimeout(() => this.#start(), this.#waitMs).unref();
    }
  }

  #start(): void {
    this.#timer = undefined;
    this.#isBehind = false;
    this.#step = this.find(this.#closed.signal)
      .catch((error: unknown) => {
        if (!(error instanceof StorageError)) {
          throw error;
        }
        return false;
      })
      .then((isDone) => {
        this.#step = undefined;
        // Another process may have searched before this process's block was stored.
        if (!isDone || this.#isBehind) {
          this.blockWritten();
        }
      });
  }

  /** Runs one step. @returns false when another process has just run a step @throws StorageError */
  async find(signal: AbortSignal): Promise<boolean> {
    if (!(await this.#leases.acquireLease("repeated-spans", this.#owner, this.#waitMs, { signal }))) {
      return false;
    }
    const looked: Looked = { window: maxWindow, spans: 0, suspects: 0 };
    const tried = windowToTry(this.#window);
    const begunMs = performance.now();
    const sinceLast =
      this.#begunMs === undefined ? maxWindow : (begunMs - this.#begunMs) / 1_000 + insertSeconds;
    const lateSeconds = Math.ceil(Math.min(sinceLast, maxWindow));
    await this.#schema.run(
      () =>
        this.#onEachShard(
          (server, tables) =>
            noteRepeated(server, tables, { tried: { seconds: tried, lateSeconds }, looked, signal }),
          signal,
        ),
      signal,
    );
    this.#begunMs = begunMs;
    this.#window = looked.window;
    this.#waitMs = Math.round(Math.min(Math.max(looked.spans * waitPerSpanMs, minWaitMs), maxWaitMs));
    // Another process may have recorded the same copies at the same moment. The next step then corrects the counts.
    if (looked.suspects !== this.#suspects) {
      this.#isBehind = true;
    }
    this.#suspects = looked.suspects;
    return true;
  }

  /** Aborts the running step. */
  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    await this.#step;
  }
}

/**
 * Result of a step: the shortest window of the shards in seconds, the number of spans that were read, and the number of
 * ids that several spans share.
 */
interface Looked {
  window: number;
  spans: number;
  suspects: number;
}

/** The windows to search, and the result to which a shard adds its numbers. */
interface RepeatedNote {
  readonly tried: CopyWindow;
  readonly looked: Looked;
  readonly signal: AbortSignal;
}

async function noteRepeated(
  server: ClickHouseConnection,
  tables: (table: string) => string,
  { tried, looked, signal }: RepeatedNote,
): Promise<void> {
  const [arrived] = await server.rows<ArrivedSpans>(arrivedSql(tables, tried.seconds), {}, { signal });
  const { seconds, spans } = windowOf(arrived ?? { spans: 0, newer: 0 }, tried.seconds);
  looked.window = Math.min(looked.window, seconds);
  looked.spans += spans;
  if (spans === 0) {
    return;
  }
  const [{ late } = { late: 0 }] = await server.rows<{ late: number }>(
    lateSql(tables, { ...tried, seconds }),
    {},
    { signal },
  );
  // If there are more late spans, for example when a journal of hours drains, the comparison would read more than a
  // step may.
  const window = { seconds, lateSeconds: late > 0 && late <= maxSpans ? tried.lateSeconds : 0 };
  looked.spans += late;
  type Suspects = { readonly ids: readonly string[]; readonly count: number };
  const [suspects] = await server.rows<Suspects>(suspectIdsSql(tables, window), {}, { signal });
  if (suspects === undefined || suspects.count === 0) {
    return;
  }
  looked.suspects += suspects.count;
  const ids = suspects.count > maxNamedIds ? undefined : suspects.ids;
  // If two processes run the statement at the same moment, the token makes its rows count once.
  const settings = {
    insert_deduplication_token: `repeated/${Math.floor(Date.now() / minWaitMs)}`,
    deduplicate_blocks_in_dependent_materialized_views: "1",
  };
  await server.insert(noteRepeatedSql(tables, window, ids), settings, new Uint8Array(), signal);
}
