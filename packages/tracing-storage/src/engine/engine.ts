import { setTimeout } from "node:timers/promises";
import { StartError } from "lifecycle";
import { engineError, toEngineError } from "../engine-error.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { connectionSettings, type EngineLimits, writeEngineConfig } from "./engine-config.ts";
import { writeFolderVersion } from "./folder-version.ts";
import { KeptConnections } from "./kept-connections.ts";
import { MergePriority } from "./merge-priority.ts";
import { type MendedFile, MetadataCopy } from "./metadata-copy.ts";
import {
  loadNativeBinding,
  type NativeBinding,
  type NativeConnection,
  type NativeResult,
} from "./native-binding.ts";
import { forgetOrphanedTokens } from "./orphaned-dedup-tokens.ts";
import { type ResultPipe, ResultPipes } from "./result-pipe.ts";
import { SyncedTokens } from "./synced-tokens.ts";

/**
 * Time limit in milliseconds for running statements while the engine is closed; it must be shorter than the limit for
 * stopping the process.
 */
const stopGraceMs = 3_000;

/**
 * The engine lists a query only some time after the query has started, so a cancellation is repeated after this many
 * milliseconds.
 */
const killAgainMs = 100;

/** Maximum number of idle connections that are kept for later queries. */
const maxIdleConnections = 16;

/**
 * Data for reusing the connection of an earlier query, instead of opening a new connection and running `prepare` on it.
 */
export interface KeptQuestion {
  /** Key of the connection: the parts of `prepare` that `again` does not set. */
  readonly key: string;
  /** Statements for a reused connection with this key; they set all parameters and the tag. */
  readonly again: string;
}

export interface EngineStatement {
  /** Statements that run first on a new connection, for settings, parameters and database; "": no statements. */
  readonly prepare: string;
  /**
   * True: `prepare` and the query run in one call. Each call waits for a thread, which costs as much as a small query.
   */
  readonly isQuestion?: boolean;
  /** Data for reusing a connection; present for a query that changes nothing on its connection. */
  readonly kept?: KeptQuestion | undefined;
  readonly sql: string;
  /** Format of the result for a statement that names no format. */
  readonly format: string;
  /** Pipe that receives the result instead of the answer's `bytes`; `sql` must contain the path of the pipe. */
  readonly pipe?: ResultPipe;
  /**
   * Tag of the running query, by which it can be cancelled: letters, digits, and other characters that a query id
   * allows.
   */
  readonly tag: string;
}

export interface EngineFacts {
  /** The engine's version: "26.7.2.1". */
  readonly version: string;
  readonly timezone: string;
  /**
   * Number of blocks whose tokens were recorded, although the previous process was killed before it stored the blocks.
   * Such blocks are stored when their senders send them again.
   */
  readonly orphanedTokens: number;
  /** Damaged files of the folder that were repaired. */
  readonly mended: readonly MendedFile[];
}

/**
 * A connection for several statements, which keeps session settings and temporary tables. Only one statement can run on
 * it at a time. Its owner must close it while no statement runs.
 */
export interface EngineConnection {
  run(statement: EngineStatement): Promise<NativeResult>;
  close(): void;
}

/** Handles and data of an open engine. */
interface EngineParts {
  readonly folder: DataFolder;
  readonly settings: readonly string[];
  readonly facts: EngineFacts;
  readonly metadata: MetadataCopy;
}

/**
 * The embedded engine on one data folder. Every statement outside a session has its own connection: a new one, or the
 * idle connection of an earlier query with the same settings. Settings of a request therefore never affect the next
 * request. Statements run in parallel on libuv's threads.
 */
export class Engine {
  readonly folder: DataFolder;
  readonly facts: EngineFacts;
  readonly #native: NativeBinding;
  readonly #settings: readonly string[];
  /** A connection without queries, which keeps the engine open between requests. */
  readonly #anchor: NativeConnection;
  readonly #pipes: ResultPipes;
  /** Connections for sessions of clients. */
  readonly #sessions = new Set<NativeConnection>();
  readonly #kept: KeptConnections;
  readonly #tokens: SyncedTokens;
  readonly #metadata: MetadataCopy;
  readonly #mergePriority = new MergePriority();
  #closed = false;
  #tablesVersion = 0;

  private constructor(
    native: NativeBinding,
    anchor: NativeConnection,
    { folder, settings, facts, metadata }: EngineParts,
  ) {
    this.#metadata = metadata;
    this.#native = native;
    this.#anchor = anchor;
    this.folder = folder;
    this.#settings = settings;
    this.facts = facts;
    this.#pipes = new ResultPipes(folder.spoolPath);
    this.#kept = new KeptConnections(native, maxIdleConnections);
    this.#tokens = new SyncedTokens(folder.enginePath);
  }

  /**
   * Opens the data folder and the engine on it. A process can have only one engine.
   * @param prepare called with the locked folder before the engine reads it; returns further elements of its
   *   configuration
   * @throws StartError when the folder is locked or cannot be written, or the engine cannot read its content
   */
  static async open(
    dataFolder: string,
    limits: EngineLimits,
    prepare: (folder: DataFolder) => string = () => "",
  ): Promise<Engine> {
    const native = loadNativeBinding();
    const mended: MendedFile[] = [];
    const folder = openDataFolder(dataFolder, native.EngineVersion(), (file) => mended.push(file));
    const metadata = new MetadataCopy(folder.path, folder.enginePath);
    let anchor: NativeConnection;
    let orphanedTokens: number;
    try {
      mended.push(...metadata.mend());
      orphanedTokens = forgetOrphanedTokens(folder.enginePath);
      const configPath = writeEngineConfig(folder.configPath, limits, prepare(folder));
      anchor = native.CreateConnection(folder.enginePath, [`--config-file=${configPath}`]);
    } catch (error) {
      folder.release();
      throw new StartError(
        `the engine cannot open the data folder ${folder.path} (${(error as Error).message}); if the line of the ` +
          "engine before this one names a damaged file, restore the folder from a copy, or move it away to start empty",
        { cause: error },
      );
    }
    const { bytes } = await native.QueryAsyncConnection(anchor, "SELECT version(), timezone()", "TSV");
    const [version = "", timezone = "UTC"] = bytes.toString("utf8").trim().split("\t");
    writeFolderVersion(folder.path, version);
    const facts = { version, timezone, orphanedTokens, mended };
    const engine = new Engine(native, anchor, {
      folder,
      settings: connectionSettings(limits),
      facts,
      metadata,
    });
    await engine.tablesChanged();
    return engine;
  }

  /** @throws EngineError with the engine's code and text */
  async run(statement: EngineStatement): Promise<NativeResult> {
    if (this.#closed) {
      throw engineError("ABORTED", "the server is stopping");
    }
    return await this.#execute(statement);
  }

  /** @throws EngineError ABORTED when the engine is being closed */
  connect(): EngineConnection {
    if (this.#closed) {
      throw engineError("ABORTED", "the server is stopping");
    }
    const native = this.#connection("session");
    this.#sessions.add(native);
    return {
      run: async (statement) => {
        if (this.#closed) {
          throw engineError("ABORTED", "the server is stopping");
        }
        return await this.#runOn(native, statement);
      },
      close: () => {
        if (this.#sessions.delete(native)) {
          this.#native.CloseConnection(native);
        }
      },
    };
  }

  /** Number that changes after each statement that may have changed a table. */
  get tablesVersion(): number {
    return this.#tablesVersion;
  }

  /**
   * Must be called before each statement that may create or change a table; `tablesChanged` must be called after it.
   */
  tablesChange(): void {
    this.#metadata.beginChange();
  }

  /** Must be called after each statement that may have created or changed a table. */
  async tablesChanged(): Promise<void> {
    this.#tablesVersion++;
    this.#mergePriority.lower();
    this.#metadata.endChange();
    await this.#tokens.mark();
  }

  /** @returns undefined on a machine without named pipes, where results are kept in memory */
  takePipe(): ResultPipe | undefined {
    return this.#pipes.take();
  }

  /**
   * Calls `work`, which must run the statement with this tag, and cancels this statement when the signal is aborted.
   */
  async cancelWhen<Result>(signal: AbortSignal, tag: string, work: () => Promise<Result>): Promise<Result> {
    let ended = false;
    const cancel = async () => {
      while (!ended) {
        await this.#kill(`Settings['log_comment'] = '${tag.replace(/[\\']/g, "\\$&")}'`);
        await setTimeout(killAgainMs);
      }
    };
    const onAbort = () => void cancel();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await work();
    } finally {
      ended = true;
      signal.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Refuses new statements, waits some seconds for running statements, cancels them, and unlocks the folder. The
   * process cannot end earlier, because the engine waits for its queries even when the process exits.
   * @param idle resolves when no statement runs
   */
  async close(idle: Promise<unknown>): Promise<void> {
    this.#closed = true;
    const late = new AbortController();
    const cancelled = setTimeout(stopGraceMs, undefined, { signal: late.signal })
      .then(async () => {
        while (!late.signal.aborted) {
          this.#pipes.abandonAll();
          await this.#kill("query NOT LIKE 'KILL QUERY%'");
          await setTimeout(killAgainMs);
        }
      })
      .catch(() => {});
    await idle;
    late.abort();
    await cancelled;
    for (const session of this.#sessions) {
      this.#native.CloseConnection(session);
    }
    this.#sessions.clear();
    this.#kept.closeAll();
    this.#native.CloseConnection(this.#anchor);
    this.#pipes.remove();
    this.folder.release();
  }

  /** Resolves when the cancellation was sent, before the queries have ended. The promise never rejects. */
  async #kill(condition: string): Promise<void> {
    const sql = `KILL QUERY WHERE ${condition} ASYNC`;
    await this.#execute({ prepare: "", sql, format: "Null", tag: "kill" }).catch(() => {});
  }

  #connection(tag: string): NativeConnection {
    return this.#native.CreateConnection(this.folder.enginePath, [...this.#settings, `--log_comment=${tag}`]);
  }

  async #execute(statement: EngineStatement): Promise<NativeResult> {
    const { kept } = statement;
    if (kept !== undefined) {
      return await this.#ask(statement, kept);
    }
    const connection = this.#connection(statement.tag);
    try {
      return await this.#runOn(connection, statement);
    } finally {
      this.#native.CloseConnection(connection);
    }
  }

  async #ask(statement: EngineStatement, { key, again }: KeptQuestion): Promise<NativeResult> {
    const known = this.#kept.take(key);
    const connection = known ?? this.#connection(statement.tag);
    let result: NativeResult;
    try {
      result = await this.#runOn(
        connection,
        known === undefined ? statement : { ...statement, prepare: again },
      );
    } catch (error) {
      this.#native.CloseConnection(connection);
      throw error;
    }
    this.#kept.give(key, connection);
    return result;
  }

  async #runOn(connection: NativeConnection, statement: EngineStatement): Promise<NativeResult> {
    const { prepare, isQuestion = false, format, pipe } = statement;
    let { sql } = statement;
    try {
      if (prepare !== "" && isQuestion) {
        sql = `${prepare};\n${sql}`;
      } else if (prepare !== "") {
        await this.#native.QueryAsyncConnection(connection, prepare, format);
      }
      return await this.#native.QueryAsyncConnection(connection, sql, format);
    } catch (error) {
      throw toEngineError(error);
    } finally {
      pipe?.end();
    }
  }
}
