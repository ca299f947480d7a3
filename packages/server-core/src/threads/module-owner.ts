import type { Logger } from "lifecycle";
import type { ErrorOwner } from "./error-owner.ts";

/** Pause between two lines about a module that fails repeatedly. */
const pauseMs = 1_000;

/** Takes what a module of the configuration leaves uncaught in its own timers, sockets and promises, and logs it. */
export class ModuleOwner implements ErrorOwner {
  readonly #id: string;
  readonly #log: Logger;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #left = 0;

  /** @param id of the module */
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
