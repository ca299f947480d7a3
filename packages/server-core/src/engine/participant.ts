import type { ConfigDocument } from "./config-document.ts";

/**
 * A part of the server that a config sets up: the apps, the admin endpoint, later the worker threads. A change asks
 * each to prepare beside what runs; only when all could is it committed, else everything prepared is rolled back.
 */
export interface Participant {
  /**
   * Does everything that can fail, without touching the running config. @throws ServerError; then nothing
   * remains
   */
  prepare(document: ConfigDocument): Promise<Transition>;
  /** A dry run of `prepare` that opens nothing and leaves nothing behind. @throws ServerError as `prepare` would */
  check?(document: ConfigDocument): Promise<void>;
  /** At the end of the process, before any participant stops. Cannot fail. */
  stopping?(): Promise<void>;
  /** At the end of the process: finishes what is under way. */
  stop(): Promise<void>;
}

export interface Transition {
  /** Switches over and resolves when that is done. Cannot fail: what it replaces is drained in the background. */
  commit(): void | Promise<void>;
  /** Undoes `prepare`. */
  rollback(): Promise<void>;
  /** All participants have switched over. Cannot fail. */
  committed?(): void;
}
