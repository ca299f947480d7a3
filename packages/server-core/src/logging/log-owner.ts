import { messageOf } from "../errors.ts";
import type { ErrorOwner } from "../threads/error-owner.ts";

/** Minimum time in milliseconds between two messages about a log that fails repeatedly. */
const pauseMs = 10_000;

/**
 * Receives errors from a writer or an encoder of a log. Errors are reported directly on standard error, because the
 * server's log lines may go to the failing log.
 */
export class LogOwner implements ErrorOwner {
  readonly #name: string;
  readonly #tell: (line: string) => void;
  #toldAt = Number.NEGATIVE_INFINITY;
  #lost = 0;

  /** @param name name of the log in `logging`. @param tell writes a line (to standard error) */
  constructor(name: string, tell: (line: string) => void = (line) => process.stderr.write(line)) {
    this.#name = name;
    this.#tell = tell;
  }

  fail(error: unknown): void {
    this.#lost++;
    const now = performance.now();
    if (now - this.#toldAt < pauseMs) {
      return;
    }
    this.#toldAt = now;
    const msg = `log ${this.#name}: writing failed: ${messageOf(error)}`;
    this.#tell(
      `${JSON.stringify({ level: "error", ts: Date.now() / 1000, logger: "logging", msg, count: this.#lost })}\n`,
    );
    this.#lost = 0;
  }
}
