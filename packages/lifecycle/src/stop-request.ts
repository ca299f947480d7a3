/** Exit codes of every process. Source: command line documentation of Caddy. */
export const exitCodes = { success: 0, startFailed: 1, forced: 2, stopFailed: 3 } as const;

/**
 * Waits for a request to stop: SIGTERM, SIGINT, or the end of the launcher that started this process with an IPC
 * channel. A SIGINT after a first request ends the process immediately with code 2.
 */
export class StopRequest {
  readonly #controller = new AbortController();
  /** Resolves with the reason of the stop as text. */
  readonly requested: Promise<string>;

  constructor() {
    this.requested = new Promise((resolve) => {
      const request = (reason: string) => {
        this.#controller.abort();
        resolve(reason);
      };
      process.on("SIGTERM", () => request("SIGTERM"));
      process.on("SIGINT", () => {
        if (this.#controller.signal.aborted) {
          process.exit(exitCodes.forced);
        }
        request("SIGINT");
      });
      if (process.connected) {
        process.once("disconnect", () => request("the launcher is gone"));
        process.channel?.unref();
      }
    });
  }

  /** Aborted as soon as a stop is requested. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}
