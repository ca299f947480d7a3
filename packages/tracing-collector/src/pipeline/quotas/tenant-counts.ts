import type { QuotaName } from "./tenant-quota.ts";

/** Label for all tenants after the first `maxLabels`. */
export const otherTenants = "other-tenants";

/** Counts of one label since the last scrape, as plain numbers. */
export class TenantCounts {
  readonly label: string;
  /** Number of accepted spans. */
  spans = 0;
  /** Bytes of the messages of the accepted spans. */
  bytes = 0;
  readonly refused: Record<QuotaName, number> = {
    ...{ "spans-per-second": 0, "bytes-per-day": 0 },
    "series-per-day": 0,
  };

  constructor(label: string) {
    this.label = label;
  }

  refuse(quota: QuotaName, spans: number): void {
    this.refused[quota] += spans;
  }
}

/** Returns the counts of each tenant. The number of labels is limited, because senders may choose the names. */
export class TenantLabels {
  readonly #maxLabels: number;
  readonly #counts = new Map<string, TenantCounts>();
  readonly #others = new TenantCounts(otherTenants);

  constructor(maxLabels = 1_000) {
    this.#maxLabels = maxLabels;
  }

  countsOf(tenant: string): TenantCounts {
    let counts = this.#counts.get(tenant);
    if (counts === undefined) {
      if (this.#counts.size >= this.#maxLabels) {
        return this.#others;
      }
      counts = new TenantCounts(tenant);
      this.#counts.set(tenant, counts);
    }
    return counts;
  }

  *all(): Generator<TenantCounts> {
    yield* this.#counts.values();
    yield this.#others;
  }
}
