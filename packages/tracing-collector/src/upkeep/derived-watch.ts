import { randomUUID } from "node:crypto";
import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Health, Logger } from "lifecycle";
import type { SamplingStore } from "storage/api";
import type { CompareDerived, DerivedDifference } from "trace-store";

export interface DerivedWatchParts {
  /** Compares the derived tables with the spans. */
  readonly compare: CompareDerived;
  /** Decides which collector compares. */
  readonly leases: Pick<SamplingStore, "acquireLease">;
  readonly log: Logger;
  readonly health: Pick<Health, "degrade">;
  readonly metrics: Registry;
}

export interface DerivedWatchSettings {
  /** Time between two checks in milliseconds; 0: never. */
  readonly intervalMs: number;
  /** True: insert what is missing. */
  readonly repair: boolean;
}

/**
 * Compares the tables that are filled from spans (rates, services, calls, minutes of traces) with the spans of the last
 * ended days, each day once. Only the collector with the lease does this. When a lost server has left a block out of
 * one of these tables, the difference is reported. Otherwise charts would be wrong forever, and nobody would know.
 */
export class DerivedWatch {
  readonly #parts: DerivedWatchParts;
  readonly #settings: DerivedWatchSettings;
  readonly #owner = randomUUID();
  readonly #closed = new AbortController();
  readonly #missing: Gauge<"table">;
  readonly #repaired: Counter<"table">;
  readonly #compared: Counter;
  /** Days without differences, by day and server. */
  readonly #good = new Set<string>();
  /** Differences that were logged. */
  #said = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: DerivedWatchParts, settings: DerivedWatchSettings) {
    this.#parts = parts;
    this.#settings = settings;
    const registers = [parts.metrics];
    const prefix = "tracing_collector_derived_";
    this.#missing = new Gauge({
      name: `${prefix}missing`,
      help: "Counts of ended days that tables filled from spans lack, by table: see tracing-storage schema --check.",
      labelNames: ["table"],
      registers,
    });
    this.#repaired = new Counter({
      name: `${prefix}repaired_total`,
      help: "Counts that tables filled from spans lacked and that were added, by table.",
      labelNames: ["table"],
      registers,
    });
    this.#compared = new Counter({
      name: `${prefix}compared_days_total`,
      help: "Days whose tables filled from spans were compared with the spans, by this collector.",
      registers,
    });
  }

  /** Starts the checks; the first is one interval from now. */
  start(): void {
    if (this.#settings.intervalMs === 0 || this.#closed.signal.aborted) {
      return;
    }
    this.#timer = setTimeout(() => {
      this.#running = this.look().finally(() => this.start());
    }, this.#settings.intervalMs).unref();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Runs one check. Never rejects: a fault is logged, and the next check tries again. */
  async look(): Promise<void> {
    const { leases, compare, log } = this.#parts;
    const { intervalMs, repair } = this.#settings;
    const { signal } = this.#closed;
    try {
      if (!(await leases.acquireLease("derived-tables", this.#owner, 2 * intervalMs, { signal }))) {
        this.#tell([]);
        return;
      }
      const days: string[] = [];
      const { differences } = await compare({
        ...{ days: "recent", repair, isInBackground: true, signal },
        skips: (day, url) => this.#good.has(keyOf({ day, url })),
        onDay: (day, url) => days.push(keyOf({ day, url })),
      });
      const bad = new Set(differences.map(keyOf));
      for (const day of days) {
        this.#compared.inc();
        if (!bad.has(day)) {
          this.#good.add(day);
        }
      }
      this.#tell(differences.filter(({ missing }) => missing > 0));
    } catch (err) {
      if (!signal.aborted) {
        log.warn({ err }, "tables that are filled from spans cannot be compared; the next look tries again");
      }
    }
  }

  #tell(differences: readonly DerivedDifference[]): void {
    const { log, health } = this.#parts;
    const said = new Set<string>();
    this.#missing.reset();
    const left: string[] = [];
    for (const difference of differences) {
      const { table, day, missing, counts, isRepaired, url } = difference;
      const text = `${table} lacks ${missing} ${counts} of ${day}`;
      if (isRepaired) {
        this.#repaired.inc({ table }, missing);
        log.warn(difference, `${text}: added`);
        continue;
      }
      left.push(text);
      this.#missing.inc({ table }, missing);
      const key = `${table} ${day} ${url}`;
      said.add(key);
      if (!this.#said.has(key)) {
        log.error(difference, `${text}: add them with tracing-storage schema --check --repair`);
      }
    }
    this.#said = said;
    const reason = `tables filled from spans lack some: ${left.join("; ")}; tracing-storage schema --check --repair adds them`;
    health.degrade("derived-tables", left.length === 0 ? undefined : reason);
  }
}

function keyOf({ day, url }: Pick<DerivedDifference, "day" | "url">): string {
  return `${day} ${url}`;
}
