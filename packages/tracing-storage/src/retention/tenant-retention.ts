import { Counter, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { type ClickHouseStoreOptions, deleteSpans } from "storage/clickhouse";
import { endOfOldDays, type TenantAges } from "../tenant-ages.ts";

interface TenantRetentionSettings {
  readonly ages: TenantAges;
  /** Servers with the spans, for each database. */
  readonly servers: readonly ClickHouseStoreOptions[];
  /** False while the tables do not exist, because no collector has created them. */
  hasTables(database: string): Promise<boolean>;
  /**
   * Time between two checks in milliseconds. A check deletes spans only if a day has ended since the last complete
   * deletion.
   */
  readonly intervalMs: number;
}

/** Deletes old spans of tenants that may keep them for a shorter time than others. */
export class TenantRetention {
  readonly #settings: TenantRetentionSettings;
  readonly #log: Logger;
  readonly #deleted: Counter<"tenant">;
  readonly #failures: Counter;
  /** The moment up to which a tenant's spans are deleted, by database and tenant. */
  readonly #doneTo = new Map<string, bigint>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(settings: TenantRetentionSettings, { log, metrics }: { log: Logger; metrics: Registry }) {
    this.#settings = settings;
    this.#log = log;
    this.#deleted = new Counter({
      name: "tracing_storage_tenant_retention_deleted_spans_total",
      help: "Spans that were deleted for their age, by tenant of --storage.tenant-retention.",
      labelNames: ["tenant"],
      registers: [metrics],
    });
    this.#failures = new Counter({
      name: "tracing_storage_tenant_retention_failures_total",
      help: "Looks for old spans of a tenant that ended with an error; the next look tries again.",
      registers: [metrics],
    });
  }

  /** Checks now, and repeatedly until `close`. */
  start(): void {
    const look = () => {
      this.#running = this.#look(Date.now()).finally(() => {
        if (!this.#stop.signal.aborted) {
          this.#timer = setTimeout(look, this.#settings.intervalMs).unref();
        }
      });
    };
    look();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  /**
   * One check, which never rejects. Tenants are processed one after the other, because each deletion reads the whole
   * table.
   */
  async #look(nowMs: number): Promise<void> {
    const { ages, servers } = this.#settings;
    for (const server of servers) {
      for (const [tenant, ageMs] of ages) {
        if (this.#stop.signal.aborted) {
          return;
        }
        await this.#deleteOld(server, tenant, endOfOldDays(nowMs, ageMs));
      }
    }
  }

  async #deleteOld(server: ClickHouseStoreOptions, tenant: string, toUnixNano: bigint): Promise<void> {
    const key = JSON.stringify([server.database, tenant]);
    if (this.#doneTo.get(key) === toUnixNano) {
      return;
    }
    const { signal } = this.#stop;
    try {
      if (!(await this.#settings.hasTables(server.database ?? ""))) {
        return;
      }
      const run = { isDryRun: false, keepsArchive: true, signal };
      const { tables, away } = await deleteSpans(server, { tenant, toUnixNano }, run);
      const spans = tables.filter(({ table }) => table === "spans");
      const deleted = spans.reduce((sum, { rows, remaining }) => sum + rows - remaining, 0);
      this.#deleted.inc({ tenant }, deleted);
      if (away.length === 0 && spans.every(({ remaining }) => remaining === 0)) {
        this.#doneTo.set(key, toUnixNano);
      }
      if (deleted > 0) {
        const before = new Date(Number(toUnixNano / 1_000_000n)).toISOString();
        this.#log.info({ tenant, spans: deleted, before }, "retention: deleted old spans of a tenant");
      }
    } catch (error) {
      if (!signal.aborted) {
        this.#failures.inc();
        this.#log.error({ err: error, tenant }, "retention: old spans of a tenant could not be deleted");
      }
    }
  }
}
