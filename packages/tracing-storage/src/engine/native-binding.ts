import { createRequire } from "node:module";
import { isSea } from "node:sea";

/** One connection to the engine: its own settings, parameters, current database; one query at a time. */
export type NativeConnection = object & { readonly brand?: "chdb connection" };

export interface NativeResult {
  readonly bytes: Buffer;
  /** Seconds. */
  readonly elapsed: number;
  /** Rows of the result; rows taken from the file for `INSERT … FROM INFILE`. */
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** A result under way. */
export type NativeStream = object & { readonly brand?: "chdb stream" };

/** The part of chdb's addon that we use. */
export interface NativeBinding {
  /** "26.7.3"; known before a folder is opened. Its last number is not that of SQL's `version()`. */
  EngineVersion(): string;
  /** Opens the engine on the first call (arguments then configure it), later only a connection to it. */
  CreateConnection(path: string, connectionArguments: readonly string[]): NativeConnection;
  /** Not while a query runs on this very connection: that aborts the process. */
  CloseConnection(connection: NativeConnection): void;
  /** Runs off the event loop, on a thread of libuv's pool. */
  /**
   * Begins a SELECT whose result comes in pieces, each a whole document of its format. Analyses it on the event loop:
   * nothing for a server.
   */
  StreamQuery(connection: NativeConnection, sql: string, format: string): NativeStream;
  /** The next piece; with `done` there is none. Runs off the event loop. */
  StreamFetch(stream: NativeStream): Promise<{ readonly bytes: Buffer; readonly done: boolean }>;
  QueryAsyncConnection(connection: NativeConnection, sql: string, format: string): Promise<NativeResult>;
}

/**
 * chdb's addon itself, below its `Session` class. A Session's `close()` waits for every query of the whole process,
 * so one slow query would keep hundreds of closed sessions alive, and a session cannot be reset for the next
 * request; a bare connection opens in 0.3 ms, closes at once and starts clean. `chdb` is pinned to one version.
 */
export function loadNativeBinding(): NativeBinding {
  // In an executable file of the program the engine lies in node_modules beside the file.
  const require = createRequire(isSea() ? process.execPath : import.meta.url);
  const loader = createRequire(require.resolve("chdb"))("./dist/loader.js") as {
    loadNative(): NativeBinding;
  };
  return loader.loadNative();
}
