import { join } from "node:path";
import { Scrubber } from "./damage/scrubber.ts";
import { SetAsideLimits } from "./damage/set-aside-limits.ts";
import { IdleMerges } from "./merging/idle-merges.ts";
import { Retention } from "./retention/retention.ts";
import type { StorageContext, StorageParts } from "./storage-parts.ts";

/** When the newest parts are merged. Collectors write once or twice in two seconds while they receive spans. */
const calm = { calmSeconds: 5, leastRows: 20_000, intervalMs: 5_000 };

/** Tasks that run in parallel with queries: they delete, merge and check parts. */
export class Upkeep {
  readonly #tasks: readonly { start(): void; close(): Promise<void> }[];

  /** The tasks start only with `start`. */
  constructor(parts: StorageParts, { options, log, metrics }: StorageContext) {
    const { engine, gate, quarantine, stuckReads } = parts;
    const databases = options["storage.retention-databases"];
    const intervalMs = options["storage.retention-interval"];
    const maxAgeMs = options["storage.retention"];
    const { cold } = parts;
    const maxBytes = options["storage.max-bytes"];
    const coldDays = cold?.days({ engine, log, metrics }, options);
    this.#tasks = [
      // With a bucket, days that are too many for the disk are moved, not dropped.
      new Retention(
        { engine, log, metrics },
        { maxAgeMs, maxBytes: cold === undefined ? maxBytes : 0, databases, intervalMs },
      ),
      ...(coldDays === undefined ? [] : [coldDays]),
      new IdleMerges({ engine, log, metrics, quarantine }, { databases, ...calm }),
      new Scrubber(
        { quarantine, stuckReads, gate, log, metrics },
        {
          intervalMs: options["storage.check-interval"],
          databases,
          stateFile: join(engine.folder.path, "checked-parts.json"),
        },
      ),
      new SetAsideLimits(
        { quarantine, log, metrics },
        {
          maxAgeMs: options["storage.damaged-retention"],
          maxBytes: options["storage.damaged-max-bytes"],
          retentionMs: maxAgeMs,
          intervalMs,
        },
      ),
    ];
  }

  /** Must be called once, after the ports are open, because the first queries of these tasks would slow the start. */
  start(): void {
    for (const task of this.#tasks) {
      task.start();
    }
  }

  /** Resolves when all tasks have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.close()));
  }
}
