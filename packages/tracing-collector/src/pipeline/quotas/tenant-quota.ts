import type { SpanRows } from "wire/rows/span-rows";
import { CollectorError } from "../../errors.ts";
import type { QuotaLimits } from "./quota-limits.ts";
import { SeriesOfDay } from "./series-of-day.ts";
import type { TenantCounts } from "./tenant-counts.ts";

const dayMs = 86_400_000;
const dayS = 86_400;

/** Names of the quotas, as in the file and in metrics. */
export const quotaNames = ["spans-per-second", "bytes-per-day", "series-per-day"] as const;
export type QuotaName = (typeof quotaNames)[number];

/** The time of a request. */
export interface QuotaTime {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: number;
  /** Milliseconds since 1970, UTC. */
  readonly epochMs: number;
}

/** A request that is charged. */
export interface QuotaRequest {
  readonly spans: number;
  readonly bytes: number;
  /** The spans themselves; undefined when their series are not counted. */
  readonly rows?: SpanRows | undefined;
}

const noSeries: ReadonlySet<number> = new Set();

/** Seconds until 00:00 UTC. */
function restOfDayS(epochMs: number): number {
  return Math.max(1, Math.ceil((dayMs - (epochMs % dayMs)) / 1_000));
}

/** The charge of a request. */
export interface TakenQuota {
  /** Refunds the charge, for a request that was not stored. */
  giveBack(): void;
}

/**
 * The quota of one tenant, minus its accepted requests. The rate is a token bucket of `burstSpans`. A request is
 * accepted when the bucket has enough tokens, or is full; a full bucket may become negative. Otherwise a request with
 * more spans than the bucket would never be accepted.
 */
export class TenantQuota {
  readonly counts: TenantCounts;
  readonly #tenant: string;
  #limits: QuotaLimits;
  /** Tokens in the bucket, in spans. Negative: the tenant must wait until it is filled. */
  #spans: number;
  #filledAtMs: number;
  #day = 0;
  #dayBytes = 0;
  #daySeries = new SeriesOfDay();

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

  /** Changes the limits. The bytes of the present day stay counted. */
  use(limits: QuotaLimits, time: QuotaTime): void {
    this.#fill(time);
    this.#limits = limits;
    this.#spans = Math.min(this.#spans, limits.burstSpans);
  }

  /** Number of bytes that were accepted today. */
  dayBytes(time: QuotaTime): number {
    this.#beginDay(time);
    return this.#dayBytes;
  }

  /** Number of series that were accepted today; 0 without a limit, because they are not counted then. */
  daySeries(time: QuotaTime): number {
    this.#beginDay(time);
    return this.#daySeries.size;
  }

  /**
   * Charges the whole request, or nothing.
   * @param request its spans, its bytes, and its rows if they may be new series
   * @throws CollectorError COLLECTOR_RATE_LIMITED or COLLECTOR_DAY_LIMITED with the time to wait; COLLECTOR_TOO_LARGE
   * for a message that exceeds the bytes or series of a whole day
   */
  take({ spans, bytes, rows }: QuotaRequest, time: QuotaTime): TakenQuota {
    this.#fill(time);
    this.#beginDay(time);
    this.#checkDay(spans, bytes, time);
    this.#checkRate(spans);
    const series = this.#newSeries(spans, rows, time);
    this.#daySeries.add(series);
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
          this.#daySeries.remove(series);
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
      { retryAfterS: restOfDayS(epochMs) },
    );
  }

  /** The new series of a request. @throws CollectorError when the tenant may have no more of them today */
  #newSeries(spans: number, rows: SpanRows | undefined, { epochMs }: QuotaTime): ReadonlySet<number> {
    const { seriesPerDay } = this.#limits;
    if (seriesPerDay === undefined || rows === undefined) {
      return noSeries;
    }
    const found = this.#daySeries.newOf(rows);
    const known = this.#daySeries.size;
    if (known + found.size <= seriesPerDay) {
      return found;
    }
    this.counts.refuse("series-per-day", spans);
    const quota = `over the quota of ${this.#who()}: series-per-day ${seriesPerDay}; a series is a service, a span name and a kind`;
    if (found.size > seriesPerDay) {
      throw new CollectorError("COLLECTOR_TOO_LARGE", `message with ${found.size} new series is ${quota}`);
    }
    throw new CollectorError(
      "COLLECTOR_DAY_LIMITED",
      `RATE_LIMITED: ${found.size} new series after ${known} of this day (UTC) are ${quota}`,
      { retryAfterS: restOfDayS(epochMs) },
    );
  }

  #who(): string {
    return this.#tenant === "" ? "this collector" : `tenant ${this.#tenant}`;
  }

  #fill({ monotonicMs }: QuotaTime): void {
    const { spansPerSecond = 0, burstSpans } = this.#limits;
    const filled = this.#spans + ((monotonicMs - this.#filledAtMs) * spansPerSecond) / 1_000;
    // Without a rate the bucket stays full, in case a rate is set later.
    this.#spans = spansPerSecond === 0 ? burstSpans : Math.min(filled, burstSpans);
    this.#filledAtMs = monotonicMs;
  }

  #beginDay({ epochMs }: QuotaTime): void {
    const day = Math.floor(epochMs / dayMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayBytes = 0;
      this.#daySeries = new SeriesOfDay();
    }
  }
}
