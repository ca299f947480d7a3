import type { Logger } from "lifecycle";
import type { ErrorOwner } from "./error-owner.ts";

/** Minimum time in milliseconds between two log lines about a module that fails repeatedly. */
const pauseMs = 1_000;

/** Receives uncaught errors from timers, sockets and promises of a module, and logs them. */
export class ModuleOwner implements ErrorOwner {
  readonly #id: string;
  readonly #log: Logger;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #left = 0;

  constructor(id: string, log: Logger) {
    this.#id = id;
    this.#log = log;
  }

  fail(error: unknown): void {
    const now = performance.now();
    if (now - this.#loggedAt < pauseMs) {
      this.#left++;
      return;
    }
    this.#loggedAt = now;
    const more = this.#left === 0 ? "" : `, and ${this.#left} more since the last line`;
    this.#left = 0;
    this.#log.error({ err: error }, `module ${this.#id}: it left an error to nobody${more}`);
  }
}
