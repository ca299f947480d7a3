import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { Engine } from "../engine/engine.ts";
import { dropDayPartition, readDayPartitions, readTableBytes } from "./day-partitions.ts";
import { daysToDrop, type RetentionLimits } from "./days-to-drop.ts";

export interface RetentionSettings extends RetentionLimits {
  /** Only tables of these databases are changed. */
  readonly databases: readonly string[];
  /** Time between two checks in milliseconds; the first check is immediate. */
  readonly intervalMs: number;
}

interface RetentionParts {
  readonly engine: Engine;
  readonly log: Logger;
  readonly metrics: Registry;
}

const prefix = "tracing_storage_retention_";

/** Drops old days, at startup and every few minutes. */
export class Retention {
  readonly #parts: RetentionParts;
  readonly #settings: RetentionSettings;
  readonly #dropped: Counter<"reason">;
  readonly #droppedBytes: Counter<"reason">;
  readonly #droppedRows: Counter<"table">;
  readonly #failures: Counter;
  readonly #oldest: Gauge;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;
  /**
   * True after a warning that the newest day alone exceeds the limit. The warning is repeated only after the size was
   * below the limit in between.
   */
  #saidTooLarge = false;

  constructor(parts: RetentionParts, settings: RetentionSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const registers = [parts.metrics];
    const labelNames: ["reason"] = ["reason"];
    this.#dropped = new Counter({
      name: `${prefix}dropped_days_total`,
      help: "Days of tables that were dropped, for their age or for the size of all.",
      labelNames,
      registers,
    });
    this.#droppedBytes = new Counter({
      name: `${prefix}dropped_bytes_total`,
      help: "Bytes on disk of the days that were dropped.",
      labelNames,
      registers,
    });
    this.#droppedRows = new Counter({
      name: `${prefix}dropped_rows_total`,
      help: "Rows of the days that were dropped, for each table.",
      labelNames: ["table"],
      registers,
    });
    this.#failures = new Counter({
      name: `${prefix}failures_total`,
      help: "Looks for old days that ended with an error; the next look tries again.",
      registers,
    });
    this.#oldest = new Gauge({
      name: `${prefix}oldest_day_timestamp_seconds`,
      help: "Beginning of the oldest day that is kept; 0 when there is none.",
      registers,
    });
  }

  /** Checks now, and repeatedly until `close`. */
  start(): void {
    const look = () => {
      this.#running = this.#look().finally(() => {
        if (!this.#closed) {
          this.#timer = setTimeout(look, this.#settings.intervalMs).unref();
        }
      });
    };
    look();
  }

  /** Resolves when no check is running. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /**
   * One check. It never rejects: a fault is counted and logged, and the next check tries again. Days are dropped one
   * after the other, so that a stop waits for at most one partition.
   */
  async #look(): Promise<void> {
    const { engine, log } = this.#parts;
    const { databases } = this.#settings;
    try {
      const days = await readDayPartitions(engine, databases);
      const total = await readTableBytes(engine, databases);
      const { byAge, bySize, isStillTooLarge } = daysToDrop(days, total, this.#settings, Date.now());
      const reasons = [
        ["age", byAge],
        ["size", bySize],
      ] as const;
      for (const [reason, chosen] of reasons) {
        for (const partition of chosen) {
          if (this.#closed) {
            return;
          }
          await dropDayPartition(engine, partition);
          this.#dropped.inc({ reason });
          this.#droppedBytes.inc({ reason }, partition.bytes);
          const { database, table, day, rows, bytes } = partition;
          this.#droppedRows.inc({ table: `${database}.${table}` }, rows);
          log.info({ reason, database, table, day, rows, bytes }, `retention: dropped a day (${reason})`);
        }
      }
      const gone = new Set([...byAge, ...bySize]);
      const oldest = days.find((day) => !gone.has(day))?.day;
      this.#oldest.set(oldest === undefined ? 0 : Date.parse(`${oldest}T00:00:00Z`) / 1000);
      this.#tellSize(isStillTooLarge, total);
    } catch (error) {
      if (!this.#closed) {
        this.#failures.inc();
        log.error({ err: error }, "retention: old days could not be dropped; the next look tries again");
      }
    }
  }

  /** Warns when only the newest day is left and its size still exceeds the limit. */
  #tellSize(isTooLarge: boolean, bytes: number): void {
    if (isTooLarge && !this.#saidTooLarge) {
      this.#parts.log.warn(
        { bytes, maxBytes: this.#settings.maxBytes },
        "retention: over --storage.max-bytes although only the newest day is left, which is never dropped for its size",
      );
    }
    this.#saidTooLarge = isTooLarge;
  }
}
