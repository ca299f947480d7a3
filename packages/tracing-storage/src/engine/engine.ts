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

export interface EngineStatement {
  /** Runs first on the fresh connection: settings, parameters, database; "" for none. */
  readonly prepare: string;
  readonly sql: string;
  /** Of the result when the statement names none. */
  readonly format: string;
  /** Marks the running query, so that `kill` finds it. Letters, digits, and what a query id may hold. */
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
  #running = 0;
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

  /** Statements running now. */
  get running(): number {
    return this.#running;
  }

  /** @throws EngineError with the engine's code and text */
  async run(statement: EngineStatement): Promise<NativeResult> {
    if (this.#closed) {
      throw engineError("ABORTED", "the server is stopping");
    }
    const connection = this.#native.CreateConnection(this.folder.enginePath, [
      ...this.#settings,
      `--log_comment=${statement.tag}`,
    ]);
    this.#running++;
    try {
      if (statement.prepare !== "") {
        await this.#native.QueryAsyncConnection(connection, statement.prepare, statement.format);
      }
      return await this.#native.QueryAsyncConnection(connection, statement.sql, statement.format);
    } catch (error) {
      throw toEngineError(error);
    } finally {
      this.#running--;
      this.#native.CloseConnection(connection);
    }
  }

  /** Cancels the query with this tag; resolves when the engine was told, not when the query has ended. */
  async kill(tag: string): Promise<void> {
    await this.run({
      prepare: "",
      sql: `KILL QUERY WHERE Settings['log_comment'] = '${tag.replace(/[\\']/g, "\\$&")}' ASYNC`,
      format: "Null",
      tag: "kill",
    });
  }

  /** Takes no new statements and lets go of the folder once those under way have ended. */
  async close(idle: Promise<void>): Promise<void> {
    this.#closed = true;
    await idle;
    this.#native.CloseConnection(this.#anchor);
    this.folder.release();
  }
}
