import { CollectorError } from "../../errors.ts";
import type { QuotaLimits } from "./quota-limits.ts";
import type { TenantCounts } from "./tenant-counts.ts";

const dayMs = 86_400_000;
const dayS = 86_400;

/** Names of the two quotas, as in the file and in metrics. */
export type QuotaName = "spans-per-second" | "bytes-per-day";

/** The time of a request. */
export interface QuotaTime {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: number;
  /** Milliseconds since 1970, UTC. */
  readonly epochMs: number;
}

/** The charge of a request. */
export interface TakenQuota {
  /** Undoes it, for a request that was not kept. */
  giveBack(): void;
}

/**
 * The quota of one tenant, less what it has sent. The rate is a bucket of `burstSpans`. A request needs its spans in the
 * bucket, or a full bucket: then it owes the rest. Otherwise a request with more spans than the bucket would
 * never be taken.
 */
export class TenantQuota {
  readonly counts: TenantCounts;
  readonly #tenant: string;
  #limits: QuotaLimits;
  /** Spans in the bucket; below 0: spans that are owed. */
  #spans: number;
  #filledAtMs: number;
  #day = 0;
  #dayBytes = 0;

  constructor(tenant: string, limits: QuotaLimits, counts: TenantCounts, time: QuotaTime) {
    this.#tenant = tenant;
    this.#limits = limits;
    this.counts = counts;
    this.#spans = limits.burstSpans;
    this.#filledAtMs = time.monotonicMs;
  }

  get limits(): QuotaLimits {
    return this.#limits;
  }

  /** Changes the limits. The count of the day goes on. */
  use(limits: QuotaLimits, time: QuotaTime): void {
    this.#fill(time);
    this.#limits = limits;
    this.#spans = Math.min(this.#spans, limits.burstSpans);
  }

  /** Bytes that were taken today. */
  dayBytes(time: QuotaTime): number {
    this.#beginDay(time);
    return this.#dayBytes;
  }

  /**
   * Charges a request, or nothing of it.
   * @throws CollectorError COLLECTOR_RATE_LIMITED or COLLECTOR_DAY_LIMITED with the time to wait;
   *   COLLECTOR_TOO_LARGE for a message that is over a whole day's bytes
   */
  take(spans: number, bytes: number, time: QuotaTime): TakenQuota {
    this.#fill(time);
    this.#beginDay(time);
    this.#checkDay(spans, bytes, time);
    this.#checkRate(spans);
    const day = this.#day;
    const { counts } = this;
    this.#spans -= spans;
    this.#dayBytes += bytes;
    counts.spans += spans;
    counts.bytes += bytes;
    return {
      giveBack: () => {
        this.#spans = Math.min(this.#spans + spans, this.#limits.burstSpans);
        if (this.#day === day) {
          this.#dayBytes -= bytes;
        }
        counts.spans -= spans;
        counts.bytes -= bytes;
      },
    };
  }

  #checkRate(spans: number): void {
    const { spansPerSecond, burstSpans } = this.#limits;
    const missing = Math.min(spans, burstSpans) - this.#spans;
    if (spansPerSecond === undefined || missing <= 0) {
      return;
    }
    this.counts.refuse("spans-per-second", spans);
    throw new CollectorError(
      "COLLECTOR_RATE_LIMITED",
      `RATE_LIMITED: ${spans} spans are over the quota of ${this.#who()}: spans-per-second ${spansPerSecond}, burst-spans ${burstSpans}`,
      { retryAfterS: Math.min(Math.max(1, Math.ceil(missing / spansPerSecond)), dayS) },
    );
  }

  #checkDay(spans: number, bytes: number, { epochMs }: QuotaTime): void {
    const { bytesPerDay } = this.#limits;
    if (bytesPerDay === undefined || this.#dayBytes + bytes <= bytesPerDay) {
      return;
    }
    this.counts.refuse("bytes-per-day", spans);
    if (bytes > bytesPerDay) {
      throw new CollectorError(
        "COLLECTOR_TOO_LARGE",
        `message of ${bytes} bytes is over the quota of ${this.#who()}: bytes-per-day ${bytesPerDay}`,
      );
    }
    throw new CollectorError(
      "COLLECTOR_DAY_LIMITED",
      `RATE_LIMITED: ${bytes} bytes after ${this.#dayBytes} of this day (UTC) are over the quota of ${this.#who()}: bytes-per-day ${bytesPerDay}`,
      { retryAfterS: Math.max(1, Math.ceil((dayMs - (epochMs % dayMs)) / 1_000)) },
    );
  }

  #who(): string {
    return this.#tenant === "" ? "this collector" : `tenant ${this.#tenant}`;
  }

  #fill({ monotonicMs }: QuotaTime): void {
    const { spansPerSecond = 0, burstSpans } = this.#limits;
    const filled = this.#spans + ((monotonicMs - this.#filledAtMs) * spansPerSecond) / 1_000;
    // Without a rate nothing is owed, should one be set later.
    this.#spans = spansPerSecond === 0 ? burstSpans : Math.min(filled, burstSpans);
    this.#filledAtMs = monotonicMs;
  }

  #beginDay({ epochMs }: QuotaTime): void {
    const day = Math.floor(epochMs / dayMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayBytes = 0;
    }
  }
}
