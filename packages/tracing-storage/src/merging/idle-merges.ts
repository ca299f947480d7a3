import { Counter, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { PartQuarantine } from "../damage/part-quarantine.ts";
import type { Engine } from "../engine/engine.ts";
import { type FreshPartLimits, mergeOnce, readFreshTables } from "./fresh-tables.ts";

interface CalmMergeSettings extends FreshPartLimits {
  /** Only tables of these databases are merged. */
  readonly databases: readonly string[];
  /** Time between two checks in milliseconds. */
  readonly intervalMs: number;
}

interface CalmMergeParts {
  readonly engine: Engine;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Detaches damaged parts that a merge finds. */
  readonly quarantine: Pick<PartQuarantine, "suspect">;
}

/**
 * Merges the newest parts when no more rows arrive. Without this, the engine would wait up to an hour until there are
 * ten parts of similar size. The first merge builds the indexes of attributes (docs/adr/035-indexes-made-by-merges.md),
 * so until then, searches read these parts without indexes.
 */
export class IdleMerges {
  readonly #parts: CalmMergeParts;
  readonly #settings: CalmMergeSettings;
  readonly #merges: Counter;
  readonly #failures: Counter;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: CalmMergeParts, settings: CalmMergeSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const registers = [parts.metrics];
    this.#merges = new Counter({
      name: "tracing_storage_calm_merges_total",
      help: "Merges of parts that were written last, begun because no more was written.",
      registers,
    });
    this.#failures = new Counter({
      name: "tracing_storage_calm_merge_failures_total",
      help: "Looks for such parts, and merges of them, that ended with an error; the next look tries again.",
      registers,
    });
  }

  /** Starts the checks, which run until `close`. */
  start(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#look().finally(() => {
        if (!this.#closed) {
          this.start();
        }
      });
    }, this.#settings.intervalMs).unref();
  }

  /** Resolves when no check is running. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #look(): Promise<void> {
    const { engine, log } = this.#parts;
    const { databases } = this.#settings;
    try {
      for (const table of await readFreshTables(engine, databases, this.#settings)) {
        if (this.#closed) {
          return;
        }
        this.#merges.inc();
        await mergeOnce(engine, table);
      }
    } catch (error) {
      if (this.#closed || (await this.#parts.quarantine.suspect(error))) {
        return;
      }
      this.#failures.inc();
      log.error(
        { err: error },
        "parts that were written last could not be merged; the next look tries again",
      );
    }
  }
}
