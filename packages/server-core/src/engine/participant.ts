import type { ConfigDocument } from "./config-document.ts";

/**
 * A part of the server that a config sets up: the apps, the admin endpoint, the worker threads.
 *
 * | Step | Called | On failure |
 * |---|---|---|
 * | `prepare` | for each participant in turn, beside the running config | all prepared participants roll back |
 * | `commit` | for each in turn, once all are prepared | cannot fail |
 * | `committed` | once all have switched | cannot fail |
 * | `stop` | at the end of the process, the last participant first | |
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
  /** Switches to the new config. The old one is drained in the background. Cannot fail. */
  commit(): void | Promise<void>;
  /** Undoes `prepare`. */
  rollback(): Promise<void>;
  /** All participants have switched over. Cannot fail. */
  committed?(): void;
}
