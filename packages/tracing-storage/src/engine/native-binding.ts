import { createRequire } from "node:module";
import { isSea } from "node:sea";

/**
 * A connection to the engine with separate settings, parameters and current database. Only one query can run on it at a
 * time.
 */
export type NativeConnection = object & { readonly brand?: "chdb connection" };

export interface NativeResult {
  readonly bytes: Buffer;
  /** Duration in seconds. */
  readonly elapsed: number;
  /** Rows of the result; for `INSERT … FROM INFILE`, rows read from the file. */
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** A result that the engine is still producing. */
export type NativeStream = object & { readonly brand?: "chdb stream" };

/** The part of chdb's addon that we use. */
export interface NativeBinding {
  /**
   * Version such as "26.7.3"; it is known before a folder is opened. Its last number differs from SQL's `version()`.
   */
  EngineVersion(): string;
  /**
   * The first call opens the engine with the settings in the arguments. Later calls only open a connection to this
   * engine.
   */
  CreateConnection(path: string, connectionArguments: readonly string[]): NativeConnection;
  /** Must not be called while a query runs on this connection, because that aborts the process. */
  CloseConnection(connection: NativeConnection): void;
  /**
   * Starts a SELECT whose result consists of pieces, each of which is a complete document of its format. It analyses
   * the query on the event loop, so servers must not use it.
   */
  StreamQuery(connection: NativeConnection, sql: string, format: string): NativeStream;
  /** Returns the next piece; `done` is true after the last piece. Runs off the event loop. */
  StreamFetch(stream: NativeStream): Promise<{ readonly bytes: Buffer; readonly done: boolean }>;
  /** Runs off the event loop, on a thread of libuv's pool. */
  QueryAsyncConnection(connection: NativeConnection, sql: string, format: string): Promise<NativeResult>;
}

/**
 * chdb's addon, without its `Session` class. `close()` of a Session waits for every query of the process, so one slow
 * query would keep hundreds of closed sessions alive. A session also cannot be reset for the next request. A plain
 * connection opens in 0.3 ms, closes immediately, and has no settings of earlier requests. The version of `chdb` is
 * fixed, because this is not a public interface.
 */
export function loadNativeBinding(): NativeBinding {
  // A single executable file loads the engine from node_modules beside the file.
  const require = createRequire(isSea() ? process.execPath : import.meta.url);
  const loader = createRequire(require.resolve("chdb"))("./dist/loader.js") as {
    loadNative(): NativeBinding;
  };
  return loader.loadNative();
}
