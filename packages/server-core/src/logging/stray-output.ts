import { format } from "node:util";
import type { ResourceKind, SharedResource } from "../modules/usage-pool.ts";
import type { LogLevelName } from "./log-entry.ts";

/** Receives output that does not come from a logger. */
export type StrayTaker = (level: LogLevelName, message: string) => void;

const levels = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
  trace: "error",
} as const satisfies Partial<Record<keyof Console, LogLevelName>>;

const methods = Object.keys(levels) as (keyof typeof levels)[];

/**
 * Output of a thread that bypasses its loggers: Node's warnings, and `console` output of user modules. Node writes it
 * to standard error and output until a config has a destination for it. Each thread has one such object.
 */
export class StrayOutput implements SharedResource {
  #take: StrayTaker | undefined;
  /** Restores the original functions; undefined while no output is redirected. */
  #restore: (() => void) | undefined;
  #isTaking = false;

  /** Redirects all later output to `take`. */
  follow(take: StrayTaker): void {
    this.#take = take;
    this.#restore ??= this.#divert();
  }

  /** Stops redirecting, unless a newer function has already replaced this one. */
  leave(take: StrayTaker): void {
    if (this.#take === take) {
      this.close();
    }
  }

  close(): void {
    this.#take = undefined;
    this.#restore?.();
    this.#restore = undefined;
  }

  #divert(): () => void {
    const before = methods.map((name) => [name, console[name]] as const);
    for (const name of methods) {
      console[name] = (...values: unknown[]) => this.#give(levels[name], format(...values));
    }
    const onWarning = (warning: Error) => this.#give("warn", `${warning.name}: ${warning.message}`);
    // Listeners of Node itself, which print warnings.
    const printers = process.listeners("warning");
    process.removeAllListeners("warning");
    process.on("warning", onWarning);
    return () => {
      for (const [name, method] of before) {
        console[name] = method;
      }
      process.off("warning", onWarning);
      for (const printer of printers) {
        process.on("warning", printer);
      }
    };
  }

  #give(level: LogLevelName, message: string): void {
    // Without this check, output of a failing writer would be sent to that writer again.
    if (!this.#isTaking) {
      this.#isTaking = true;
      try {
        this.#take?.(level, message);
      } finally {
        this.#isTaking = false;
      }
    }
  }
}

export const strayOutputs: ResourceKind<StrayOutput> = { name: "logging.stray" };
