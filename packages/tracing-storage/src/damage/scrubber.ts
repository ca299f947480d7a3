import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { QueryGate } from "../engine/query-gate.ts";
import type { PartQuarantine } from "./part-quarantine.ts";
import type { StoredPart } from "./set-aside-parts.ts";
import { ReadGivenUp, type StuckReads } from "./stuck-reads.ts";

interface ScrubberParts {
  readonly quarantine: PartQuarantine;
  readonly stuckReads: Pick<StuckReads, "during">;
  readonly gate: Pick<QueryGate, "running" | "waiting">;
  readonly log: Logger;
  readonly metrics: Registry;
}

export interface ScrubberSettings {
  /** Interval in milliseconds in which each part is checked once; 0: parts are never checked. */
  readonly intervalMs: number;
  /** Only parts of these databases are checked. */
  readonly databases: readonly string[];
  /** File that stores the time of each part's last check, for the next start. */
  readonly stateFile: string;
  /** Time between two rounds of checks, in milliseconds. Default: 10 s. */
  readonly lookMs?: number;
  /** Present time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Waits for this many milliseconds; default: a timer. */
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** Time in milliseconds during which one round may start checks; it includes the wait for an idle store. */
const lookLengthMs = 5_000;

/** Time between two tests for a gap between queries, in milliseconds. */
const gapMs = 50;

/** After this number of intervals, a part is checked even while queries run, because a busy store also has damage. */
const overdueIntervals = 2;

/** After a check while queries run, the pause is this many times as long as the check. */
const restOfOverdue = 9;

/** Tag of the engine's statements that check parts. */
const checkTag = "check-of-parts";

/** Time of each part's last check, in milliseconds since 1970; the key is table and part. */
type CheckedTimes = Map<string, number>;

/**
 * At intervals, reads all bytes of all parts, and compares them with their checksums. This finds damage in rarely read
 * data while copies or backups still exist. A check starts only while no query runs, and reads the part to its end with
 * one thread. After two intervals without an idle moment, a part is checked while queries run, in a tenth of the time.
 */
export class Scrubber {
  readonly #parts: ScrubberParts;
  readonly #settings: ScrubberSettings;
  readonly #now: () => number;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #checked: Counter;
  readonly #left: Gauge;
  readonly #oldest: Gauge;
  #times: CheckedTimes | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #overdueFrom = 0;
  #closed = false;

  constructor(parts: ScrubberParts, settings: ScrubberSettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#now = settings.now ?? Date.now;
    this.#sleep = settings.sleep ?? ((ms) => setTimeout(ms, undefined, { ref: false }));
    const registers = [parts.metrics];
    this.#checked = new Counter({
      name: "tracing_storage_checked_parts_total",
      help: "Parts whose bytes were all read and compared with their checksums.",
      registers,
    });
    this.#left = new Gauge({
      name: "tracing_storage_unchecked_parts",
      help: "Parts that are to be read: never yet, or longer ago than --storage.check-interval.",
      registers,
    });
    this.#oldest = new Gauge({
      name: "tracing_storage_oldest_check_timestamp_seconds",
      help: "When the part was written or last read whose check is the oldest; 0 without parts.",
      registers,
    });
  }

  /** Starts the checks, which run until `close`. */
  start(): void {
    if (this.#settings.intervalMs === 0 || this.#closed) {
      return;
    }
    this.#timer = globalThis
      .setTimeout(() => {
        this.#running = this.look().finally(() => this.start());
      }, this.#settings.lookMs ?? 10_000)
      .unref();
  }

  /** Resolves when no part is being checked. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Checks the parts that are due, while the store is idle. */
  async look(): Promise<void> {
    const { quarantine, log } = this.#parts;
    const { databases, intervalMs } = this.#settings;
    try {
      await quarantine.look();
      const times = await this.#load();
      const parts = await quarantine.storedParts(databases);
      const known = new Set(parts.map(keyOf));
      for (const key of times.keys()) {
        if (!known.has(key)) {
          times.delete(key);
        }
      }
      const due = parts
        .filter((part) => this.#now() - (times.get(keyOf(part)) ?? 0) >= intervalMs)
        .sort((one, other) => (times.get(keyOf(one)) ?? 0) - (times.get(keyOf(other)) ?? 0));
      const begin = this.#now();
      let left = due.length;
      for (const part of due) {
        while (!this.#mayBegin(part, times) && this.#now() - begin <= lookLengthMs && !this.#closed) {
          await this.#sleep(gapMs);
        }
        if (this.#closed || this.#now() - begin > lookLengthMs) {
          break;
        }
        const beside = !this.#isIdle();
        const partBegin = this.#now();
        const fault = await this.#faultOf(part);
        if (beside) {
          this.#overdueFrom = this.#now() + restOfOverdue * (this.#now() - partBegin) + 1;
        }
        this.#checked.inc();
        times.set(keyOf(part), this.#now());
        left--;
        if (fault !== undefined) {
          await quarantine.setAside(part, "check", fault, true);
        }
      }
      this.#left.set(left);
      const oldest = Math.min(...parts.map((part) => times.get(keyOf(part)) ?? part.writtenUnixMs));
      this.#oldest.set(parts.length === 0 ? 0 : oldest / 1_000);
      if (due.length > left) {
        await this.#save(times);
      }
      if (due.length > 0 && left === 0) {
        log.info({ parts: parts.length }, "all parts of the store were checked");
      }
    } catch (error) {
      if (!this.#closed) {
        log.error({ err: error }, "parts of the store could not be checked; the next look tries again");
      }
    }
  }

  /** @returns undefined for an undamaged part, and for a part that was detached meanwhile */
  async #faultOf(part: StoredPart): Promise<string | undefined> {
    const { quarantine, stuckReads } = this.#parts;
    try {
      return await stuckReads.during(checkTag, () => quarantine.faultOf(part, checkTag));
    } catch (error) {
      if (error instanceof ReadGivenUp) {
        return undefined;
      }
      throw error;
    }
  }

  #isIdle(): boolean {
    const { running, waiting } = this.#parts.gate;
    return running === 0 && waiting === 0;
  }

  #mayBegin(part: StoredPart, times: CheckedTimes): boolean {
    if (this.#isIdle()) {
      return true;
    }
    const read = times.get(keyOf(part)) ?? part.writtenUnixMs;
    return (
      this.#now() - read >= overdueIntervals * this.#settings.intervalMs && this.#now() >= this.#overdueFrom
    );
  }

  async #load(): Promise<CheckedTimes> {
    if (this.#times !== undefined) {
      return this.#times;
    }
    this.#times = new Map();
    try {
      const kept: unknown = JSON.parse(await readFile(this.#settings.stateFile, "utf8"));
      if (kept !== null && typeof kept === "object") {
        for (const [key, time] of Object.entries(kept)) {
          if (typeof time === "number" && time <= this.#now()) {
            this.#times.set(key, time);
          }
        }
      }
    } catch {
      // The file is missing or incomplete, so all parts are checked again.
    }
    return this.#times;
  }

  async #save(times: CheckedTimes): Promise<void> {
    const { stateFile } = this.#settings;
    await writeFile(`${stateFile}.new`, JSON.stringify(Object.fromEntries(times)));
    await rename(`${stateFile}.new`, stateFile);
  }
}

function keyOf({ database, table, part }: StoredPart): string {
  return `${database}.${table} ${part}`;
}
