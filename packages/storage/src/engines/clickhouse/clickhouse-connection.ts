import { ClickHouseError } from "@clickhouse/client";
import type { Dispatcher } from "undici";
import { refusePartial } from "../../api/asked-time.ts";
import { StorageError } from "../../api/storage-error.ts";
import { type AnswerSize, collect, handOn, sizeOf } from "./calls/answer-stream.ts";
import { type Attempt, type AttemptRace, firstAnswer, type HedgeOfCall } from "./calls/first-answer.ts";
import { HedgePace, insertHedges, readHedges } from "./calls/hedge-pace.ts";
import { type CallHeaders, HostRequests, type Settings } from "./calls/host-requests.ts";
import { partialReasonsOf, type ReadCall } from "./calls/read-call.ts";
import { ReplicaTurns, triesFirst } from "./calls/replica-turns.ts";
import { awayError, readFromShards, type ShardsOfReads } from "./calls/shard-reads.ts";
import {
  isConnectionError,
  isCredentialsFault,
  isHostFault,
  isNeighbourFault,
  isSchemaMissing,
  toStorageError,
  wasNeverSent,
} from "./clickhouse-errors.ts";
import type { OnHedge, TraceCall } from "./clickhouse-store-options.ts";
import { type HostAddress, hostAddress } from "./hosts/host-address.ts";
import type { OnHostChange } from "./hosts/host-health.ts";
import { type Host, HostPool } from "./hosts/host-pool.ts";
import type { WatchedHostTls } from "./hosts/host-tls.ts";
import type { KeeperOfInserts } from "./hosts/keeper-watch.ts";
import type { InsertBody } from "./insert-body.ts";
import { parameterText, type QueryParameters } from "./parameter-text.ts";

export type { AnswerSize } from "./calls/answer-stream.ts";

/** Options of a connection. */
export interface ConnectionOptions {
  /** Servers, with user and password where they have their own. */
  readonly urls: readonly string[];
  /** The user for addresses that name none. */
  readonly user: string;
  /** Password for servers without their own. */
  readonly password: string;
  /** Milliseconds until a call without an answer fails. */
  readonly requestTimeoutMs: number;
  /** Most connections to one server. */
  readonly maxConnections: number;
  /** Most bytes of one answer, so that a read cannot fill the memory. */
  readonly maxReadBytes: number;
  /** Trust and certificate, watched for changes; undefined for the system's trust. */
  readonly tls?: WatchedHostTls | undefined;
  /** Called when a server goes down or comes back. */
  readonly onHostChange?: OnHostChange | undefined;
  /** Makes a span of each call; undefined for none. */
  readonly traceCall?: TraceCall | undefined;
  /** Settings of every read of a cluster. */
  readonly readSettings?: Settings;
  /** Settings of every insert; those of the insert itself take precedence. */
  readonly insertSettings?: Settings;
  /** Settings among these that a server may not know. */
  readonly optionalSettings?: readonly string[];
  /** Which shards of a cluster answer; absent without shards. */
  readonly shards?: ShardsOfReads | undefined;
  /** Whether a cluster can be written to; absent without a Keeper. */
  readonly keeper?: KeeperOfInserts | undefined;
  /** True: a read never returns a partial answer, even when its caller accepts one. */
  readonly refusesPartial?: boolean;
  /**
   * Called for each second server that was tried because the first took long, and for each that was not
   * because of the limit.
   */
  readonly onHedge?: OnHedge | undefined;
  /** Inserts with a token that take long are sent to a second server too. */
  readonly hedgesInserts?: boolean;
}

/** One of the servers. */
export interface OneServer {
  /** Without credentials. */
  readonly url: string;
  /** Whether calls are sent to it. */
  readonly isUp: boolean;
  /** Whether it is left out because it refuses our user or password. */
  readonly refusesUs: boolean;
  /** Calls go to this server alone. */
  readonly connection: ClickHouseConnection;
}

/** The server that a call goes to: any, the first of the list that is up, or the one with this index. */
type Choice = "any" | "first" | number;

interface Call {
  /** The statement of a read. */
  readonly sql?: string;
  /** Gives the call up; undefined for calls that always end. */
  readonly signal: AbortSignal | undefined;
  /** The kind of call, for its usual duration. */
  readonly kind: string;
  /** Whether it writes. A write also fails while the keeper of the replicas is away. */
  readonly isInsert?: boolean;
  /** True: running it twice does no harm, so it may go to another server when the connection breaks. */
  readonly isRepeatable?: boolean;
  /** Limit of this call. Default: the connection's. */
  readonly timeoutMs?: number;
  /** Decides when the call also goes to a second server; undefined: never. */
  readonly pace?: HedgePace | undefined;
}

/** The state that connections to the same servers share. */
interface Shared {
  /** Servers and their health. */
  readonly pool: HostPool;
  /** Sends requests. */
  readonly requests: HostRequests;
  /** Tells when a read is slow enough to ask a second server. */
  readonly readPace: HedgePace;
  /** The same for inserts. */
  readonly insertPace: HedgePace;
  /** Shares reads among the replicas of a shard. */
  readonly replicaTurns: ReplicaTurns;
}

/**
 * Calls ClickHouse over HTTP, at one or more addresses. Each call is one query with a deadline; when its
 * signal is aborted, the query ends in the server too. A call whose server is down goes to the next server at
 * once. A call that breaks off is repeated only when running it twice does no harm: reads, and inserts with a
 * deduplication token. Every method throws `StorageError`.
 */
export class ClickHouseConnection {
  readonly #options: ConnectionOptions;
  readonly #shared: Shared;
  readonly #choice: Choice;

  /** @throws StorageError STORAGE_REFUSED for an address that is none */
  constructor(options: ConnectionOptions, shared?: Shared, choice: Choice = "any") {
    this.#options = options;
    this.#shared = shared ?? sharedBy(options);
    this.#choice = choice;
  }

  /**
   * A connection to the same servers. All calls go to the first of the list that is up, with these additional
   * settings.
   */
  steady(settings: Settings = {}): ClickHouseConnection {
    return new ClickHouseConnection(withSettings(this.#options, settings), this.#shared, "first");
  }

  /**
   * A connection for statements about the shards themselves, with these read settings instead of the others.
   */
  ofShards(readSettings: Settings): ClickHouseConnection {
    return new ClickHouseConnection({ ...this.#options, shards: undefined, readSettings }, this.#shared);
  }

  /** The servers one by one. Closing one of them closes all. */
  each(): OneServer[] {
    const { pool } = this.#shared;
    // A statement about one server needs no check of the cluster.
    const options = { ...this.#options, shards: undefined };
    return pool.hosts.map(({ index, url }) => ({
      url,
      isUp: pool.health?.isUp(index) ?? true,
      refusesUs: pool.isStranger(index),
      connection: new ClickHouseConnection(options, this.#shared, index),
    }));
  }

  /** The rows of a SELECT that names no format, one object each; `maxReadBytes` of JSON at most. */
  async rows<Row>(sql: string, parameters: QueryParameters, read: ReadCall = {}): Promise<Row[]> {
    const json = await this.bytes(`${sql} FORMAT JSONEachRow`, parameters, this.#options.maxReadBytes, read);
    const lines = json.toString("utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
  }

  /**
   * The answer to a SELECT that names its format.
   * @param maxBytes STORAGE_TOO_LARGE when the answer is longer
   */
  bytes(sql: string, parameters: QueryParameters, maxBytes: number, read: ReadCall = {}): Promise<Buffer> {
    return this.#read(sql, parameters, read, ({ body }, abort) => collect(body, maxBytes, abort));
  }

  /**
   * As `bytes`, but passes the answer on while it arrives.
   * @param begin called when the answer begins, with its size if the server announces one, and again when the
   *   answer is read again. The writer that the last call returned gets the whole answer; a piece is read
   *   when the one before was taken.
   */
  pieces(
    sql: string,
    parameters: QueryParameters,
    maxBytes: number,
    begin: (size: AnswerSize | undefined) => { add(piece: Buffer): Promise<void> },
    read: ReadCall = {},
  ): Promise<void> {
    return this.#read(sql, parameters, read, async ({ body, headers }, abort) => {
      const taker = begin(sizeOf(headers["x-clickhouse-summary"]));
      await handOn(body, maxBytes, abort, (piece) => taker.add(piece));
    });
  }

  /** A statement without an answer. */
  command(sql: string, signal?: AbortSignal, settings?: Settings): Promise<void> {
    return this.#command({ signal, kind: "command" }, sql, settings);
  }

  /**
   * A statement without an answer that may take longer than the deadline of other calls.
   * @param timeoutMs deadline of this command
   */
  longCommand(sql: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return this.#command({ signal, kind: "command", timeoutMs }, sql);
  }

  /**
   * @param sql `INSERT INTO … FORMAT …`
   * @param settings query settings; with a deduplication token, it may be sent to more than one server
   * @param rows sent as they are; after a failure they may still be read
   * @returns true when nothing reads the rows any more; false when a second server got them too
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
      // Without rows it is an INSERT … SELECT.
      const isRead = rows instanceof Uint8Array && rows.length === 0;
      const send = isRead ? requests.ask(host, own, rows, abort) : requests.send(host, own, rows, abort);
      const { body } = await send;
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
      const { body } = await this.#shared.requests.ask(
        host,
        { ...settings, wait_end_of_query: "1" },
        Buffer.from(sql),
        abort,
      );
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
      return this.#readOnce(sql, { ...query, ...skipped }, headers, { ...read, signal }, take);
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
    sql: string,
    query: Settings,
    headers: CallHeaders,
    { signal, kind = "other", onPartial }: ReadCall,
    take: (answer: Dispatcher.ResponseData, abort: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { requests, readPace } = this.#shared;
    const pace = this.#choice === "any" ? readPace : undefined;
    const call = { sql, signal, kind, isRepeatable: true, pace };
    const { value } = await this.#tryHosts(call, async (host, abort, race) => {
      const answer = await requests.ask(host, query, Buffer.from(sql), abort, headers);
      // The signal of a server that is not the first one ends this.
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
  ): Promise<{ readonly value: T; readonly wasAlone: boolean }> {
    const { pool } = this.#shared;
    const { signal, kind, pace, isInsert = false, timeoutMs = this.#options.requestTimeoutMs } = call;
    const deadline = AbortSignal.timeout(timeoutMs);
    const abort = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const attempt = async (host: Host, race: AttemptRace): Promise<Attempt<T>> => {
      const { url, index } = host;
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
        const noKeeper = isInsert && !abort.aborted ? this.#options.keeper?.awaySignal : undefined;
        if (noKeeper?.aborted) {
          return { kind: "failed", failure: noKeeper.reason, goOn: "throw" };
        }
        const isOurs = { aborted: signal?.aborted === true, timedOut: deadline.aborted };
        const failure = toStorageError(error, { url, timeoutMs, ...isOurs, isInsert });
        const isStranger = isCredentialsFault(failure) && pool.hosts.length > 1;
        if (isStranger) {
          pool.refusesUs(index, failure.message);
        } else if (isConnectionError(failure)) {
          pool.failed(index, failure.message);
        } else if (failure.cause instanceof ClickHouseError) {
          pool.answered(index);
        }
        const isEmptied = pool.hosts.length > 1 && call.isRepeatable === true && isSchemaMissing(failure);
        if (isEmptied) {
          return { kind: "failed", failure, goOn: "next" };
        }
        if (!isStranger && !isHostFault(failure)) {
          return { kind: "failed", failure, goOn: "throw" };
        }
        const mayGoOn = call.isRepeatable === true || isStranger || wasNeverSent(failure);
        if (await this.#isOfShards(failure)) {
          // Reads report absent shards themselves, with a text of their own.
          const shards = isInsert ? awayError(this.#options.shards?.away ?? [], failure) : failure;
          return { kind: "failed", failure: shards, goOn: "throw" };
        }
        return { kind: "failed", failure, goOn: mayGoOn ? "next" : "stop" };
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

  /**
   * True when the failure concerns a shard without a server that answers; other servers would fail as well.
   */
  async #isOfShards(failure: StorageError): Promise<boolean> {
    const { shards } = this.#options;
    if (shards === undefined || !isNeighbourFault(failure)) {
      return false;
    }
    // Shards that are known to be absent are checked every second by another task.
    if (shards.away.length === 0) {
      await shards.look();
    }
    return shards.away.length > 0;
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
      // ClickHouse cancels the query of a disconnected client only when the query is read-only. A POST is not by
      // default. 2 means read-only with settings allowed.
      readonly: "2",
      cancel_http_readonly_queries_on_client_close: "1",
      // Without it, an error in the middle of the rows follows a status of 200, as text behind the rows.
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

/** One error for all tried servers; with a single server its own error. */
function allFailed(failures: readonly StorageError[], hosts: number): StorageError {
  const [first] = failures;
  if (first === undefined) {
    return new StorageError("STORAGE_REFUSED", "no address of ClickHouse is given");
  }
  if (failures.length === 1) {
    return first;
  }
  const texts = failures.map(({ message }) => message).join("; ");
  const who = failures.length === hosts ? `none of the ${hosts} servers` : `${failures.length} servers, none`;
  return new StorageError(first.code, `${who} of ClickHouse could do it: ${texts}`, { cause: first.cause });
}
