import type { Dispatcher } from "undici";
import { refusePartial } from "../../api/asked-time.ts";
import type { StorageError } from "../../api/storage-error.ts";
import { type AnswerSize, collect, handOn, sizeOf } from "./calls/answer-stream.ts";
import { allFailed, CallFailures } from "./calls/call-failures.ts";
import {
  type Attempt,
  type AttemptRace,
  type FirstAnswer,
  firstAnswer,
  type HedgeOfCall,
} from "./calls/first-answer.ts";
import { HedgePace, insertHedges, readHedges } from "./calls/hedge-pace.ts";
import { type CallHeaders, HostRequests, type Settings } from "./calls/host-requests.ts";
import { partialReasonsOf, type ReadCall } from "./calls/read-call.ts";
import { ReplicaTurns, triesFirst } from "./calls/replica-turns.ts";
import { readFromShards, type ShardsOfReads } from "./calls/shard-reads.ts";
import type { OnHedge, TraceCall } from "./clickhouse-store-options.ts";
import { type HostAddress, hostAddress } from "./hosts/host-address.ts";
import type { OnHostChange } from "./hosts/host-health.ts";
import { type Host, HostPool } from "./hosts/host-pool.ts";
import type { WatchedHostTls } from "./hosts/host-tls.ts";
import type { KeeperOfInserts } from "./hosts/keeper-watch.ts";
import type { InsertBody } from "./insert-body.ts";
import { parameterText, type QueryParameters } from "./parameter-text.ts";

export type { AnswerSize } from "./calls/answer-stream.ts";

export interface ConnectionOptions {
  /** Addresses of the servers. An address may contain a user and a password. */
  readonly urls: readonly string[];
  /** User for addresses without a user. */
  readonly user: string;
  /** Password for addresses without a password. */
  readonly password: string;
  /** Milliseconds until a call fails with STORAGE_TIMEOUT. */
  readonly requestTimeoutMs: number;
  /** Maximum number of connections to one server. */
  readonly maxConnections: number;
  /** Maximum size of one answer in bytes. The limit protects the memory of the process. */
  readonly maxReadBytes: number;
  /** Trusted CAs and client certificate, reloaded when the files change. Undefined: the system's CAs. */
  readonly tls?: WatchedHostTls | undefined;
  /** Called when a server goes down or comes back up. */
  readonly onHostChange?: OnHostChange | undefined;
  /** Records a span for each read. Undefined: reads are not traced. */
  readonly traceCall?: TraceCall | undefined;
  /** Settings for every read, used in a cluster. */
  readonly readSettings?: Settings;
  /** Settings for every insert. The settings of a single insert take precedence. */
  readonly insertSettings?: Settings;
  /** Names of settings that older servers may not know. */
  readonly optionalSettings?: readonly string[];
  /** Tells which shards of a cluster answer. Absent without shards. */
  readonly shards?: ShardsOfReads | undefined;
  /** State of the Keeper, which writes to a cluster need. Absent without a Keeper. */
  readonly keeper?: KeeperOfInserts | undefined;
  /** True: a read fails instead of returning a partial answer, even if the caller would accept a partial answer. */
  readonly refusesPartial?: boolean;
  /** Called when a slow call was also sent to a second server, or when the limit of such calls prevents this. */
  readonly onHedge?: OnHedge | undefined;
  /** True: a slow insert with a deduplication token is also sent to a second server. */
  readonly hedgesInserts?: boolean;
}

/** A server of the connection, with its state. */
export interface OneServer {
  /** Address without credentials. */
  readonly url: string;
  /** True when the server is up, so that calls are sent to it. */
  readonly isUp: boolean;
  /** True when calls skip the server because it refuses the configured user or password. */
  readonly refusesUs: boolean;
  /** A connection that sends its calls only to this server. */
  readonly connection: ClickHouseConnection;
}

/** Server of a call: any server, the first server that is up, or the server with this index. */
type Choice = "any" | "first" | number;

interface Call {
  /** The statement of a read. */
  readonly sql?: string;
  /** Aborts the call. Undefined: nothing aborts the call early. */
  readonly signal: AbortSignal | undefined;
  /** Kind of the call. Calls of one kind take a similar time, which decides when a second server is tried. */
  readonly kind: string;
  /** True for a write. A write also fails while the Keeper of the replicas does not answer. */
  readonly isInsert?: boolean;
  /** True: running the call twice is harmless. If the connection breaks, such a call goes to another server. */
  readonly isRepeatable?: boolean;
  /** Milliseconds until this call fails. Default: the limit of the connection. */
  readonly timeoutMs?: number;
  /** Decides when the call also goes to a second server. Undefined: never. */
  readonly pace?: HedgePace | undefined;
}

/** A SELECT that names its format, with the limit of its answer. */
export interface LimitedSelect {
  readonly sql: string;
  readonly parameters: QueryParameters;
  /** STORAGE_TOO_LARGE when the answer is longer. */
  readonly maxBytes: number;
}

/** A read in the form that is sent to a server. */
interface SentRead {
  readonly sql: string;
  /** Parameters and settings of the statement. */
  readonly query: Settings;
  readonly headers: CallHeaders;
}

/** The state that connections to the same servers share. */
interface Shared {
  readonly pool: HostPool;
  readonly requests: HostRequests;
  /** Decides when a slow read is sent to a second server. */
  readonly readPace: HedgePace;
  /** Decides when a slow insert is sent to a second server. */
  readonly insertPace: HedgePace;
  /** Distributes reads over the replicas of a shard. */
  readonly replicaTurns: ReplicaTurns;
}

/**
 * Calls ClickHouse over HTTP, at one or more addresses. Each call is one query with a deadline. Aborting the signal
 * also cancels the query in the server. A call whose server is down goes to the next server immediately. When the
 * connection breaks, a call is repeated only if running it twice is harmless: this holds for reads, and for inserts
 * with a deduplication token. Methods fail with `StorageError`.
 */
export class ClickHouseConnection {
  readonly #options: ConnectionOptions;
  readonly #shared: Shared;
  readonly #choice: Choice;
  readonly #failures: CallFailures;

  /** @throws StorageError STORAGE_REFUSED for an invalid address */
  constructor(options: ConnectionOptions, shared?: Shared, choice: Choice = "any") {
    this.#options = options;
    this.#shared = shared ?? sharedBy(options);
    this.#choice = choice;
    const { pool } = this.#shared;
    this.#failures = new CallFailures({ pool, keeper: options.keeper, shards: options.shards });
  }

  /** A connection to the same servers, with additional settings. All its calls go to the first server that is up. */
  steady(settings: Settings = {}): ClickHouseConnection {
    return new ClickHouseConnection(withSettings(this.#options, settings), this.#shared, "first");
  }

  /** A connection for statements about the shards themselves. `readSettings` replaces the settings of reads. */
  ofShards(readSettings: Settings): ClickHouseConnection {
    return new ClickHouseConnection({ ...this.#options, shards: undefined, readSettings }, this.#shared);
  }

  /** Makes a connection for each server. Closing one of these connections closes all of them. */
  each(): OneServer[] {
    const { pool } = this.#shared;
    // A statement to a single server does not need the cluster's state.
    const options = { ...this.#options, shards: undefined };
    return pool.hosts.map(({ index, url }) => ({
      url,
      isUp: pool.health?.isUp(index) ?? true,
      refusesUs: pool.isStranger(index),
      connection: new ClickHouseConnection(options, this.#shared, index),
    }));
  }

  /** Rows of a SELECT without FORMAT, one object for each row. The JSON may have at most `maxReadBytes`. */
  async rows<Row>(sql: string, parameters: QueryParameters, read: ReadCall = {}): Promise<Row[]> {
    const json = await this.bytes(`${sql} FORMAT JSONEachRow`, parameters, this.#options.maxReadBytes, read);
    const lines = json.toString("utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
  }

  /**
   * The answer to a SELECT with FORMAT.
   * @param maxBytes size limit of the answer; a longer answer throws STORAGE_TOO_LARGE
   */
  bytes(sql: string, parameters: QueryParameters, maxBytes: number, read: ReadCall = {}): Promise<Buffer> {
    return this.#read(sql, parameters, read, ({ body }, abort) => collect(body, maxBytes, abort));
  }

  /**
   * Like `bytes`, but passes the answer on while it arrives.
   * @param begin called when the answer begins, with its size if the server announces the size. It is called again when
   * the read is repeated. The writer that the last call returned gets the whole answer. The next piece is read after
   * the writer has accepted the previous piece.
   */
  pieces(
    { sql, parameters, maxBytes }: LimitedSelect,
    begin: (size: AnswerSize | undefined) => { add(piece: Buffer): Promise<void> },
    read: ReadCall = {},
  ): Promise<void> {
    return this.#read(sql, parameters, read, async ({ body, headers }, abort) => {
      const taker = begin(sizeOf(headers["x-clickhouse-summary"]));
      await handOn(body, maxBytes, abort, (piece) => taker.add(piece));
    });
  }

  /** Runs a statement that returns no rows. */
  command(sql: string, signal?: AbortSignal, settings?: Settings): Promise<void> {
    return this.#command({ signal, kind: "command" }, sql, settings);
  }

  /**
   * Runs a statement that returns no rows and may take longer than other calls.
   * @param timeoutMs time limit of this statement in milliseconds
   */
  longCommand(sql: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return this.#command({ signal, kind: "command", timeoutMs }, sql);
  }

  /**
   * @param sql `INSERT INTO … FORMAT …`
   * @param settings query settings; with a deduplication token, the insert may be sent to more than one server
   * @param rows body of the request; after a failure the connection may still read the bytes
   * @returns true when no call reads the bytes of `rows` any more; false when a second server was sent the rows too
   */
  async insert(sql: string, settings: Settings, rows: InsertBody, signal?: AbortSignal): Promise<boolean> {
    const isRepeatable = settings.insert_deduplication_token !== undefined;
    const query = { ...this.#options.insertSettings, ...settings, query: sql };
    const { requests, insertPace, replicaTurns } = this.#shared;
    const pace = isRepeatable && this.#options.hedgesInserts === true ? insertPace : undefined;
    const call = { signal, kind: "insert", isInsert: true, isRepeatable, pace };
    const firstReplica = pace === undefined ? undefined : replicaTurns.next();
    const { wasAlone } = await this.#tryHosts(call, async (host, abort, race) => {
      const replica = firstReplica === undefined ? undefined : firstReplica + race.attemptsBefore;
      const own = replica === undefined ? query : { ...query, ...triesFirst(replica) };
      // An insert without rows is an INSERT … SELECT.
      const isRead = rows instanceof Uint8Array && rows.length === 0;
      const request = { query: own, body: rows, abort };
      const { body } = await (isRead ? requests.ask(host, request) : requests.send(host, request));
      await body.dump();
      if (race.claim() && replica !== undefined && race.attemptsBefore > 0) {
        replicaTurns.won(replica);
      }
    });
    return wasAlone;
  }

  async close(): Promise<void> {
    await this.#shared.pool.close();
  }

  async #command(call: Call, sql: string, settings: Settings = {}): Promise<void> {
    await this.#tryHosts(call, async (host, abort) => {
      const query = { ...settings, wait_end_of_query: "1" };
      const { body } = await this.#shared.requests.ask(host, { query, body: Buffer.from(sql), abort });
      await body.dump();
    });
  }

  async #read<T>(
    sql: string,
    parameters: QueryParameters,
    asked: ReadCall,
    take: (answer: Dispatcher.ResponseData, abort: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const read = this.#options.refusesPartial === true ? { ...asked, onPartial: undefined } : asked;
    const trace = this.#options.traceCall?.(sql);
    const headers: CallHeaders = trace === undefined ? {} : { traceparent: trace.traceparent };
    const query = this.#readSettings(parameters);
    const ask = (skipped: Settings, stop?: AbortSignal) => {
      const signals = [read.signal, stop].filter((one) => one !== undefined);
      const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
      const sent = { sql, query: { ...query, ...skipped }, headers };
      return this.#readOnce(sent, { ...read, signal }, take);
    };
    try {
      const result = await readFromShards(this.#options.shards, read, ask);
      trace?.end();
      return result;
    } catch (error) {
      trace?.end(error);
      throw error;
    }
  }

  async #readOnce<T>(
    { sql, query, headers }: SentRead,
    { signal, kind = "other", onPartial }: ReadCall,
    take: (answer: Dispatcher.ResponseData, abort: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { requests, readPace } = this.#shared;
    const pace = this.#choice === "any" ? readPace : undefined;
    const call = { sql, signal, kind, isRepeatable: true, pace };
    const { value } = await this.#tryHosts(call, async (host, abort, race) => {
      const answer = await requests.ask(host, { query, body: Buffer.from(sql), abort, headers });
      // Another server has answered first, so this answer is dropped.
      if (!race.claim()) {
        throw new Error("another server was first");
      }
      for (const reason of partialReasonsOf(answer.headers)) {
        if (onPartial !== undefined) {
          onPartial(reason);
        } else if (kind !== "other") {
          refusePartial(reason);
        }
      }
      return await take(answer, abort);
    });
    return value;
  }

  async #tryHosts<T>(
    call: Call,
    work: (host: Host, abort: AbortSignal, race: AttemptRace) => Promise<T>,
  ): Promise<FirstAnswer<T>> {
    const { pool } = this.#shared;
    const { signal, kind, pace, isInsert = false, timeoutMs = this.#options.requestTimeoutMs } = call;
    const deadline = AbortSignal.timeout(timeoutMs);
    const abort = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const attempt = async (host: Host, race: AttemptRace): Promise<Attempt<T>> => {
      const { index } = host;
      const away = pool.health?.isUp(index) ? pool.health.awaySignal(index) : undefined;
      const startMs = performance.now();
      try {
        abort.throwIfAborted();
        const noKeeper = isInsert ? this.#options.keeper?.awaySignal : undefined;
        const signals = [abort, race.abort, away, noKeeper].filter((one) => one !== undefined);
        const value = await work(host, AbortSignal.any(signals), race);
        pool.answered(index);
        pace?.answered(kind, performance.now() - startMs);
        return { kind: "done", value };
      } catch (error) {
        if (race.abort.aborted && !abort.aborted) {
          return { kind: "lost" };
        }
        return await this.#failures.judge(host, error, { ...call, timeoutMs, deadline, abort });
      }
    };
    const failures: StorageError[] = [];
    const order = this.#order();
    const found = await firstAnswer(order, attempt, failures, this.#hedge(call, order));
    if (found !== undefined) {
      return found;
    }
    throw allFailed(failures, pool.hosts.length);
  }

  #hedge({ pace, kind }: Call, [first, second]: readonly Host[]): HedgeOfCall | undefined {
    const { health } = this.#shared.pool;
    if (pace === undefined || health === undefined || first === undefined || second === undefined) {
      return undefined;
    }
    const afterMs = pace.begin(kind);
    return {
      afterMs,
      may: () => {
        health.suspect(first.index);
        if (kind === "insert") {
          void this.#options.keeper?.look();
        }
        if (!health.isUp(second.index)) {
          return false;
        }
        const may = pace.take();
        if (!may) {
          this.#options.onHedge?.(kind, "denied");
        }
        return may;
      },
      ended: (isWon) => this.#options.onHedge?.(kind, isWon ? "won" : "lost"),
    };
  }

  #order(): Host[] {
    const { hosts, health } = this.#shared.pool;
    if (typeof this.#choice === "number") {
      return hosts.slice(this.#choice, this.#choice + 1);
    }
    if (health === undefined) {
      return [...hosts];
    }
    const order = this.#choice === "any" ? health.inTurn() : health.inOrder();
    return order.flatMap((index) => hosts[index] ?? []);
  }

  #readSettings(parameters: QueryParameters): Settings {
    const query: Record<string, string> = {
      max_execution_time: String(Math.ceil(this.#options.requestTimeoutMs / 1_000)),
      // ClickHouse cancels the query of a disconnected client only when the query is read-only; a POST is not read-only
      // by default. 2 means read-only with settings allowed.
      readonly: "2",
      cancel_http_readonly_queries_on_client_close: "1",
      // Without this setting, an error in the middle of the rows arrives as text after status 200.
      wait_end_of_query: "1",
      ...this.#options.readSettings,
    };
    for (const [name, value] of Object.entries(parameters)) {
      query[`param_${name}`] = parameterText(value);
    }
    return query;
  }
}

function sharedBy(options: ConnectionOptions): Shared {
  const addresses = options.urls.map((url): HostAddress => hostAddress(url, options));
  const pool = new HostPool({ ...options, addresses });
  return {
    pool,
    requests: new HostRequests(pool.agent, options.optionalSettings),
    readPace: new HedgePace(readHedges),
    insertPace: new HedgePace(insertHedges),
    replicaTurns: new ReplicaTurns(),
  };
}

function withSettings(options: ConnectionOptions, settings: Settings): ConnectionOptions {
  return {
    ...options,
    readSettings: { ...options.readSettings, ...settings },
    insertSettings: { ...options.insertSettings, ...settings },
  };
}
