import { setTimeout } from "node:timers/promises";
import { StartError } from "lifecycle";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { connectionSettings, type EngineLimits, writeEngineConfig } from "./engine-config.ts";
import { engineError, toEngineError } from "./engine-error.ts";
import {
  loadNativeBinding,
  type NativeBinding,
  type NativeConnection,
  type NativeResult,
} from "./native-binding.ts";

/** How long statements under way may go on when the engine is closed; less than the shell's own deadline. */
const stopGraceMs = 3_000;

/** The engine knows a query only some time after it was handed over: who cancels one tells the engine again. */
const killAgainMs = 100;

export interface EngineStatement {
  /** Runs first on the fresh connection: settings, parameters, database; "" for none. */
  readonly prepare: string;
  readonly sql: string;
  /** Of the result when the statement names none. */
  readonly format: string;
  /** Marks the running query, so that it can be cancelled. Letters, digits, and what a query id may hold. */
  readonly tag: string;
}

export interface EngineFacts {
  /** Of the engine: "26.7.2.1". */
  readonly version: string;
  readonly timezone: string;
}

/**
 * The embedded engine on one data folder. Every statement gets a connection of its own (0.3 ms), so nothing a
 * request sets is left for the next one, and statements run side by side on libuv's threads.
 */
export class Engine {
  readonly folder: DataFolder;
  readonly facts: EngineFacts;
  readonly #native: NativeBinding;
  readonly #settings: readonly string[];
  /** Never runs a query: it keeps the engine open between requests. */
  readonly #anchor: NativeConnection;
  #closed = false;

  private constructor(
    native: NativeBinding,
    anchor: NativeConnection,
    folder: DataFolder,
    settings: readonly string[],
    facts: EngineFacts,
  ) {
    this.#native = native;
    this.#anchor = anchor;
    this.folder = folder;
    this.#settings = settings;
    this.facts = facts;
  }

  /**
   * Opens the data folder and the engine on it. One engine per process.
   * @throws StartError when the folder is taken, cannot be written, or the engine cannot read what is in it
   */
  static async open(dataFolder: string, limits: EngineLimits): Promise<Engine> {
    const folder = openDataFolder(dataFolder);
    let native: NativeBinding;
    let anchor: NativeConnection;
    try {
      const configPath = writeEngineConfig(folder.configPath, limits);
      native = loadNativeBinding();
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
    return new Engine(native, anchor, folder, connectionSettings(limits), { version, timezone });
  }

  /** @throws EngineError with the engine's code and text */
  async run(statement: EngineStatement): Promise<NativeResult> {
    if (this.#closed) {
      throw engineError("ABORTED", "the server is stopping");
    }
    return await this.#execute(statement);
  }

  /**
   * Does `work`, which runs the statement with this tag, and cancels it when the signal is aborted.
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
   * Takes no new statements, gives those under way some seconds, then cancels them, and lets go of the folder. The
   * process could not end before: the engine waits for its queries even at exit.
   * @param idle resolves when no statement of a client is under way
   */
  async close(idle: Promise<void>): Promise<void> {
    this.#closed = true;
    const late = new AbortController();
    const cancelled = setTimeout(stopGraceMs, undefined, { signal: late.signal })
      .then(async () => {
        while (!late.signal.aborted) {
          await this.#kill("query NOT LIKE 'KILL QUERY%'");
          await setTimeout(killAgainMs);
        }
      })
      .catch(() => {});
    await idle;
    late.abort();
    await cancelled;
    this.#native.CloseConnection(this.#anchor);
    this.folder.release();
  }

  /** Resolves when the engine was told, not when the queries have ended; never rejects. */
  async #kill(condition: string): Promise<void> {
    const sql = `KILL QUERY WHERE ${condition} ASYNC`;
    await this.#execute({ prepare: "", sql, format: "Null", tag: "kill" }).catch(() => {});
  }

  async #execute(statement: EngineStatement): Promise<NativeResult> {
    const connection = this.#native.CreateConnection(this.folder.enginePath, [
      ...this.#settings,
      `--log_comment=${statement.tag}`,
    ]);
    try {
      if (statement.prepare !== "") {
        await this.#native.QueryAsyncConnection(connection, statement.prepare, statement.format);
      }
      return await this.#native.QueryAsyncConnection(connection, statement.sql, statement.format);
    } catch (error) {
      throw toEngineError(error);
    } finally {
      this.#native.CloseConnection(connection);
    }
  }
}
