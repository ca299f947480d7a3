import type { ConfigDocument } from "./config-document.ts";

/**
 * A part of the server that a config determines: the apps, the admin endpoint, the worker threads.
 *
 * | Step | Called | On failure |
 * |---|---|---|
 * | `prepare` | for each participant in turn, while the old config runs | all prepared participants roll back |
 * | `commit` | for each participant in turn, once all are prepared | cannot fail |
 * | `committed` | once all have switched | cannot fail |
 * | `stop` | at the end of the process, the last participant first | |
 */
export interface Participant {
  /**
   * Does everything that can fail, without changing the running config. @throws ServerError; then all its effects are
   * undone
   */
  prepare(document: ConfigDocument): Promise<Transition>;
  /** A dry run of `prepare`, without opening anything or leaving effects. @throws ServerError as `prepare` would */
  check?(document: ConfigDocument): Promise<void>;
  /** Called at the end of the process, before any participant stops. This function must not fail. */
  stopping?(): Promise<void>;
  /** Called at the end of the process: finishes running work. */
  stop(): Promise<void>;
}

export interface Transition {
  /** Switches to the new config. The old config is drained in the background. This function must not fail. */
  commit(): void | Promise<void>;
  /** Undoes `prepare`. */
  rollback(): Promise<void>;
  /** Called when all participants have switched. This function must not fail. */
  committed?(): void;
}
