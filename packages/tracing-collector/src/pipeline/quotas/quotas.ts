import type { SpanRows } from "wire/rows/span-rows";
import type { QuotaFile, QuotaLimits } from "./quota-limits.ts";
import { TenantLabels } from "./tenant-counts.ts";
import { type QuotaTime, type TakenQuota, TenantQuota } from "./tenant-quota.ts";

/** Maximum number of tenants that are stored although the file does not list them. Each needs about 300 bytes. */
const maxUnnamed = 10_000;

const clock = (): QuotaTime => ({ monotonicMs: performance.now(), epochMs: Date.now() });

/**
 * The quotas of all tenants in this collector. Each tenant is counted separately: the requests of one tenant never
 * affect another.
 */
export class Quotas {
  readonly labels: TenantLabels;
  readonly #now: () => QuotaTime;
  readonly #maxUnnamed: number;
  #file: QuotaFile;
  readonly #named = new Map<string, TenantQuota>();
  /**
   * Tenants that the file does not list, ordered by their last requests; the first was inactive for the longest time.
   */
  readonly #unnamed = new Map<string, TenantQuota>();
  /** Number of tenants whose state was dropped because of newer tenants. */
  forgotten = 0;

  constructor(file: QuotaFile, now = clock, limits = { maxUnnamed, labels: new TenantLabels() }) {
    this.#file = file;
    this.#now = now;
    this.#maxUnnamed = limits.maxUnnamed;
    this.labels = limits.labels;
    this.#nameTenants();
  }

  /** Uses other limits. The bytes of the present day stay counted. */
  use(file: QuotaFile): void {
    this.#file = file;
    const now = this.#now();
    for (const [tenant, quota] of this.#named) {
      if (!file.tenants.has(tenant)) {
        this.#named.delete(tenant);
        this.#addUnnamed(tenant, quota);
      }
    }
    for (const [tenant, quota] of this.#unnamed) {
      if (file.tenants.has(tenant)) {
        this.#unnamed.delete(tenant);
        this.#named.set(tenant, quota);
      }
    }
    this.#nameTenants();
    for (const [tenant, quota] of [...this.#named, ...this.#unnamed]) {
      quota.use(this.#limitsOf(tenant), now);
    }
  }

  /**
   * Charges a request to its tenant.
   * @param tenant "" without tenancy
   * @param rows the spans, for the quota of series
   * @throws CollectorError when the request exceeds a quota; then nothing is charged
   */
  take(tenant: string, spans: number, bytes: number, rows?: SpanRows): TakenQuota {
    return this.#quotaOf(tenant).take({ spans, bytes, rows }, this.#now());
  }

  /** The known tenants with their limits, and today's bytes and series. */
  *known(): Generator<{ label: string; limits: QuotaLimits; dayBytes: number; daySeries: number }> {
    const now = this.#now();
    for (const quotas of [this.#named, this.#unnamed]) {
      for (const quota of quotas.values()) {
        yield {
          label: quota.counts.label,
          limits: quota.limits,
          dayBytes: quota.dayBytes(now),
          daySeries: quota.daySeries(now),
        };
      }
    }
  }

  #quotaOf(tenant: string): TenantQuota {
    const named = this.#named.get(tenant);
    if (named !== undefined) {
      return named;
    }
    const known = this.#unnamed.get(tenant);
    if (known !== undefined) {
      this.#unnamed.delete(tenant);
      this.#unnamed.set(tenant, known);
      return known;
    }
    const quota = this.#newQuota(tenant);
    this.#addUnnamed(tenant, quota);
    return quota;
  }

  #addUnnamed(tenant: string, quota: TenantQuota): void {
    this.#unnamed.set(tenant, quota);
    // The state of the longest inactive tenant is dropped, which gives that tenant a fresh quota. With a shared state
    // instead, tenants could use up each other's quota.
    for (const oldest of this.#unnamed.keys()) {
      if (this.#unnamed.size <= this.#maxUnnamed) {
        break;
      }
      this.#unnamed.delete(oldest);
      this.forgotten++;
    }
  }

  #nameTenants(): void {
    for (const tenant of this.#file.tenants.keys()) {
      if (!this.#named.has(tenant)) {
        this.#named.set(tenant, this.#newQuota(tenant));
      }
    }
  }

  #newQuota(tenant: string): TenantQuota {
    return new TenantQuota(tenant, this.#limitsOf(tenant), this.labels.countsOf(tenant), this.#now());
  }

  #limitsOf(tenant: string): QuotaLimits {
    return this.#file.tenants.get(tenant) ?? this.#file.defaults;
  }
}
