import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Quotas } from "./quotas.ts";
import { otherTenants } from "./tenant-counts.ts";
import { quotaNames } from "./tenant-quota.ts";

/**
 * Metrics of quotas; names start with `tracing_collector_quota_`. Tenants after the first 1,000 are counted together.
 * Counts are read from the quotas at each scrape, so that requests need not look up labels.
 */
export function countQuotas(quotas: Quotas, registry: Registry): void {
  countTenants(quotas, registry);
  showTenants(quotas, registry);
  new Counter({
    name: "tracing_collector_quota_forgotten_tenants_total",
    help: "Tenants without limits of their own whose state was dropped, because over 10,000 others sent later.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(quotas.forgotten);
    },
  });
}

function countTenants({ labels }: Quotas, registry: Registry): void {
  const registers = [registry];
  const takenOf = (field: "spans" | "bytes", name: string, help: string) =>
    new Counter({
      ...{ name, help, registers },
      labelNames: ["tenant"],
      collect() {
        // A refund may lower a count below 0 after a scrape. The counter then waits until the count is above 0.
        for (const counts of labels.all()) {
          const taken = counts[field];
          if (taken > 0) {
            counts[field] = 0;
            this.inc({ tenant: counts.label }, taken);
          }
        }
      },
    });
  takenOf(
    "spans",
    "tracing_collector_quota_spans_total",
    "Spans that were taken and counted against a quota.",
  );
  takenOf("bytes", "tracing_collector_quota_bytes_total", "Bytes of their messages, decompressed.");
  new Counter({
    name: "tracing_collector_quota_refused_spans_total",
    help: "Spans whose senders were told to come again, by the quota that their tenant is over.",
    labelNames: ["tenant", "quota"],
    registers,
    collect() {
      for (const { label: tenant, refused } of labels.all()) {
        for (const quota of quotaNames) {
          if (refused[quota] > 0) {
            this.inc({ tenant, quota }, refused[quota]);
            refused[quota] = 0;
          }
        }
      }
    },
  });
}

/** Gauges by tenant. They are reset at each scrape, so that a removed tenant disappears. */
function showTenants(quotas: Quotas, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: "tracing_collector_quota_day_bytes",
    help: "Bytes that a tenant has sent since 00:00 UTC, or since the start of the collector.",
    labelNames: ["tenant"],
    registers,
    collect() {
      this.reset();
      for (const { label: tenant, dayBytes } of quotas.known()) {
        if (tenant !== otherTenants) {
          this.set({ tenant }, dayBytes);
        }
      }
    },
  });
  new Gauge({
    name: "tracing_collector_quota_day_series",
    help: "Series of a tenant with a quota of series since 00:00 UTC, or since the start of the collector.",
    labelNames: ["tenant"],
    registers,
    collect() {
      this.reset();
      for (const { label: tenant, limits, daySeries } of quotas.known()) {
        if (tenant !== otherTenants && limits.seriesPerDay !== undefined) {
          this.set({ tenant }, daySeries);
        }
      }
    },
  });
  new Gauge({
    name: "tracing_collector_quota_limit",
    help: "The quotas of each tenant that is in the file or has sent something; none where there is no limit.",
    labelNames: ["tenant", "quota"],
    registers,
    collect() {
      this.reset();
      for (const { label: tenant, limits } of quotas.known()) {
        const { spansPerSecond, bytesPerDay, seriesPerDay } = limits;
        if (tenant !== otherTenants && spansPerSecond !== undefined) {
          this.set({ tenant, quota: "spans-per-second" }, spansPerSecond);
        }
        if (tenant !== otherTenants && bytesPerDay !== undefined) {
          this.set({ tenant, quota: "bytes-per-day" }, bytesPerDay);
        }
        if (tenant !== otherTenants && seriesPerDay !== undefined) {
          this.set({ tenant, quota: "series-per-day" }, seriesPerDay);
        }
      }
    },
  });
}
