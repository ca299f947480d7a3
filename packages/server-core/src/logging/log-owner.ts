import { messageOf } from "../errors.ts";
import type { ErrorOwner } from "../threads/error-owner.ts";

/** Pause between two lines about a log that fails repeatedly. */
const pauseMs = 10_000;

/**
 * Takes what a writer or an encoder of a log throws. It tells of it on standard error itself: the server's own lines may go
 * to the very log that fails.
 */
export class LogOwner implements ErrorOwner {
  readonly #name: string;
  readonly #tell: (line: string) => void;
  #toldAt = Number.NEGATIVE_INFINITY;
  #lost = 0;

  /** @param name of the log: where it stands in `logging`. @param tell writes a line (to standard error) */
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
