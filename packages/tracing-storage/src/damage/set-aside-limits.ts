import { stat } from "node:fs/promises";
import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { PartQuarantine } from "./part-quarantine.ts";
import type { DetachedPart } from "./set-aside-parts.ts";

export interface SetAsideSettings {
  /** Age in milliseconds at which a detached part is dropped; 0: never. */
  readonly maxAgeMs: number;
  /** Size limit of all detached parts in bytes; the oldest are dropped first. 0: no limit. */
  readonly maxBytes: number;
  /** `--storage.retention` in milliseconds: detached parts with older rows are dropped too; 0: no limit. */
  readonly retentionMs: number;
  readonly intervalMs: number;
  readonly now?: () => number;
}

interface SetAsideLimitsParts {
  readonly quarantine: Pick<PartQuarantine, "droppable" | "drop">;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** A part in a folder `detached` that the store itself has detached. */
export interface DroppablePart extends DetachedPart {
  readonly bytes: number;
  /** Last day of the part's rows, such as `2026-11-26`; "" for an unknown day. */
  readonly lastDay: string;
}

/**
 * `age`: the part was detached too long ago. `size`: above the size limit. `retention`: the retention would have
 * dropped the part's rows.
 */
export type DropReason = "age" | "size" | "retention";

const dayMs = 86_400_000;

/**
 * Drops detached parts by age and size, so that damage never fills the disk. Parts that an operator has detached are
 * not touched.
 */
export class SetAsideLimits {
  readonly #parts: SetAsideLimitsParts;
  readonly #settings: SetAsideSettings;
  readonly #now: () => number;
  readonly #bytes: Gauge;
  readonly #dropped: Counter<"reason">;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: SetAsideLimitsParts, settings: SetAsideSettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
    const registers = [parts.metrics];
    this.#bytes = new Gauge({
      name: "tracing_storage_set_aside_bytes",
      help: "Bytes of parts that are set aside: damaged ones, and what the engine has put beside them.",
      registers,
    });
    this.#dropped = new Counter({
      name: "tracing_storage_set_aside_dropped_parts_total",
      help: "Set-aside parts that were deleted: age, size (--storage.damaged-retention, --storage.damaged-max-bytes), or retention (--storage.retention).",
      labelNames: ["reason"],
      registers,
    });
  }

  /** Checks the limits now, and repeatedly until `close`. */
  start(): void {
    if (this.#closed) {
      return;
    }
    this.#running = this.look().finally(() => {
      if (!this.#closed) {
        this.#timer = setTimeout(() => this.start(), this.#settings.intervalMs).unref();
      }
    });
  }

  /** Resolves when no part is being dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Drops the parts above the limits. Never throws: a fault is logged. */
  async look(): Promise<void> {
    try {
      const { maxAgeMs, maxBytes } = this.#settings;
      const aged = await Promise.all((await this.#parts.quarantine.droppable()).map(withAge));
      aged.sort((one, other) => one.setAsideUnixMs - other.setAsideUnixMs);
      let left = aged.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const part of aged) {
        if (this.#closed) {
          break;
        }
        const isOld = maxAgeMs > 0 && this.#now() - part.setAsideUnixMs > maxAgeMs;
        const isTooMuch = maxBytes > 0 && left > maxBytes;
        if (this.#isPastRetention(part)) {
          await this.#drop(part, "retention");
        } else if (isOld || isTooMuch) {
          await this.#drop(part, isOld ? "age" : "size");
        } else {
          continue;
        }
        left -= part.bytes;
      }
      this.#bytes.set(left);
    } catch (err) {
      if (!this.#closed) {
        this.#parts.log.error(
          { err },
          "parts that are set aside cannot be looked through; the next look tries again",
        );
      }
    }
  }

  #isPastRetention({ lastDay }: DroppablePart): boolean {
    const { retentionMs } = this.#settings;
    return retentionMs > 0 && lastDay !== "" && Date.parse(lastDay) + dayMs + retentionMs < this.#now();
  }

  async #drop(part: DroppablePart, reason: DropReason): Promise<void> {
    await this.#parts.quarantine.drop(part, reason !== "retention");
    this.#dropped.inc({ reason });
    const { database, table, name, bytes } = part;
    this.#parts.log.warn(
      { database, table, part: name, bytes, reason },
      "a part that was set aside is dropped",
    );
  }
}

/**
 * The folder's change time is the time of detaching, because the engine moves or links the folder when it detaches a
 * part.
 */
async function withAge(part: DroppablePart): Promise<DroppablePart & { readonly setAsideUnixMs: number }> {
  const setAsideUnixMs = await stat(part.path).then(
    ({ ctimeMs }) => ctimeMs,
    () => Number.POSITIVE_INFINITY,
  );
  return { ...part, setAsideUnixMs };
}
