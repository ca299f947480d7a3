import { join } from "node:path";
import { Scrubber } from "./damage/scrubber.ts";
import { SetAsideLimits } from "./damage/set-aside-limits.ts";
import { CalmMerges } from "./merging/calm-merges.ts";
import { Retention } from "./retention/retention.ts";
import type { StorageContext, StorageParts } from "./storage-parts.ts";

/**
 * Limits for the merge of the parts that were written last. Collectors write every second or two while there are
 * spans.
 */
const calm = { calmSeconds: 5, leastRows: 20_000, intervalMs: 5_000 };

/** Work on the folder that goes on beside the queries: it deletes, merges and checks parts. */
export class Upkeep {
  readonly #tasks: readonly { start(): void; close(): Promise<void> }[];

  /** Nothing runs before `start`. */
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
      new CalmMerges({ engine, log, metrics, quarantine }, { databases, ...calm }),
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

  /** Called once, after the ports are open: the first queries of these tasks would slow the start. */
  start(): void {
    for (const task of this.#tasks) {
      task.start();
    }
  }

  /** Resolves when nothing of it runs any more. */
  async close(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.close()));
  }
}
