import { format } from "node:util";
import type { ResourceKind, SharedResource } from "../modules/usage-pool.ts";
import type { LogLevelName } from "./log-entry.ts";

/** Takes what no logger made. */
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
 * Output of a thread that bypasses its loggers: Node's warnings, and `console` output of user modules. Node
 * writes it to standard error and output until a config has a sink for it. One for each thread.
 */
export class StrayOutput implements SharedResource {
  #take: StrayTaker | undefined;
  /** Puts all back as it was; undefined while nothing is taken. */
  #restore: (() => void) | undefined;
  #isTaking = false;

  /** Has a taker get all from now on. */
  follow(take: StrayTaker): void {
    this.#take = take;
    this.#restore ??= this.#divert();
  }

  /** Lets go of it, unless a newer one is there already. */
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
    // Node's own listener prints them.
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
    // Output of a failing writer would otherwise come back to it.
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
