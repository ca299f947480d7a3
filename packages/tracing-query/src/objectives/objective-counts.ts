import type { GoodCount } from "storage/api";
import { CountRing, type SpanSum } from "./count-ring.ts";
import type { CountedTime } from "./traceql-counts.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
/** Minutes that each read repeats for late spans. Spans that arrive later are counted by the next hourly read. */
const lateMinutes = 15;
/** Hours that are read again once an hour, for late spans. */
const lateHours = 2;
/**
 * Minutes whose counts are kept: seven hours, and the time in which late spans arrive. The longest window that is
 * counted by minutes is six hours.
 */
const minutesKept = 7 * 60 + lateMinutes;
const longestBurnHours = 72;
const firstMinutes = 6 * 60;
const leastSliceHours = 1;
const mostSliceHours = 8 * 24;
/** Faster than `quickMs`: the next read of history covers twice as much time; slower than `slowMs`: half as much. */
const quickMs = 250;
const slowMs = 2_000;

/**
 * The counts of one objective: by minute for windows up to six hours, by hour for the whole window. History is read in
 * slices, the newest first, so that no read is long.
 */
export class ObjectiveCounts {
  readonly #windowHours: number;
  /** Number of kept hours: the objective's window, or the longest window of burn rates if that is longer. */
  readonly #keptHours: number;
  readonly #minutes = new CountRing(minutesKept);
  readonly #hours: CountRing;
  /** The first minute that is not counted. */
  #endMinute = 0;
  /** The first hour that is counted. */
  #firstHour = 0;
  #sliceHours = 24;
  #lastHour = 0;

  constructor(windowMs: number) {
    this.#windowHours = windowMs / hourMs;
    this.#keptHours = Math.max(this.#windowHours, longestBurnHours);
    this.#hours = new CountRing(this.#keptHours + 1);
  }

  /** End of the counted time in milliseconds since the Unix epoch; 0 before the first count. */
  get untilMs(): number {
    return this.#endMinute * minuteMs;
  }

  /** Begin of the counted time in milliseconds since the Unix epoch. */
  get sinceMs(): number {
    return this.#firstHour * hourMs;
  }

  /** True when the whole window is counted. */
  get isComplete(): boolean {
    return this.#endMinute > 0 && this.#firstHour <= this.#windowStartHour;
  }

  get #endHour(): number {
    return Math.ceil(this.#endMinute / 60);
  }

  get #windowStartHour(): number {
    return this.#endHour - this.#windowHours;
  }

  /** Time range of the next read of new spans; undefined when the last whole minute is counted. */
  nextNew(nowMs: number): CountedTime | undefined {
    const end = Math.floor(nowMs / minuteMs);
    if (end <= this.#endMinute) {
      return undefined;
    }
    const isFirst = this.#endMinute === 0 || end - this.#endMinute > firstMinutes;
    const isNewHour = Math.floor(end / 60) !== this.#lastHour;
    const from = isFirst
      ? end - firstMinutes
      : Math.min(this.#endMinute, end) - (isNewHour ? lateHours * 60 : lateMinutes);
    // The read starts at a full hour, because the sum of an hour needs all 60 minutes.
    const start = Math.floor(from / 60) * 60;
    return { startUnixMs: start * minuteMs, endUnixMs: end * minuteMs, stepMs: minuteMs };
  }

  /** Stores the counts of a read of new spans. */
  addNew({ startUnixMs, endUnixMs }: CountedTime, counts: readonly GoodCount[]): void {
    const [start, end] = [startUnixMs / minuteMs, endUnixMs / minuteMs];
    const byStep = new Map(counts.map((count) => [count.step, count]));
    const hours = new Map<number, { total: number; bad: number }>();
    for (let minute = start; minute < end; minute++) {
      const sum = spanSum(byStep.get(minute - start));
      this.#minutes.put(minute, sum);
      const hour = Math.floor(minute / 60);
      const ofHour = hours.get(hour) ?? { total: 0, bad: 0 };
      ofHour.total += sum.total;
      ofHour.bad += sum.bad;
      hours.set(hour, ofHour);
    }
    for (const [hour, sum] of hours) {
      this.#hours.put(hour, sum);
    }
    const firstHour = start / 60;
    if (this.#endMinute === 0 || firstHour > Math.ceil(this.#endMinute / 60)) {
      this.#firstHour = firstHour;
    }
    this.#endMinute = end;
    this.#lastHour = Math.floor(end / 60);
  }

  /** Time range of the next read of history; undefined when all kept hours are counted. */
  nextOld(): CountedTime | undefined {
    const firstKept = this.#endHour - this.#keptHours;
    if (this.#endMinute === 0 || this.#firstHour <= firstKept) {
      return undefined;
    }
    const start = Math.max(0, firstKept, this.#firstHour - this.#sliceHours);
    return { startUnixMs: start * hourMs, endUnixMs: this.#firstHour * hourMs, stepMs: hourMs };
  }

  /** Stores the counts of a read of history. @param tookMs duration of the read in milliseconds */
  addOld({ startUnixMs, endUnixMs }: CountedTime, counts: readonly GoodCount[], tookMs: number): void {
    const start = startUnixMs / hourMs;
    if (endUnixMs / hourMs !== this.#firstHour) {
      return;
    }
    for (const count of counts) {
      this.#hours.put(start + count.step, spanSum(count));
    }
    this.#firstHour = start;
    if (tookMs < quickMs) {
      this.#sliceHours = Math.min(mostSliceHours, this.#sliceHours * 2);
    } else if (tookMs > slowMs) {
      this.oldFailed();
    }
  }

  /** Called when a read of history failed or was slow: the next read covers half as much time. */
  oldFailed(): void {
    this.#sliceHours = Math.max(leastSliceHours, Math.floor(this.#sliceHours / 2));
  }

  /**
   * Sum of the newest counted minutes. Windows of more than six hours are counted in whole hours.
   * @returns undefined when the window is not completely counted
   */
  last(minutes: number): SpanSum | undefined {
    if (this.#endMinute === 0) {
      return undefined;
    }
    if (minutes <= firstMinutes) {
      const start = this.#endMinute - minutes;
      return start < this.#firstHour * 60 ? undefined : this.#minutes.sum(start, this.#endMinute);
    }
    const start = this.#endHour - minutes / 60;
    return start < this.#firstHour ? undefined : this.#hours.sum(start, this.#endHour);
  }

  /** Sum of the counted spans in the window; incomplete until `isComplete`. */
  window(): SpanSum {
    return this.#hours.sum(this.#windowStartHour, this.#endHour);
  }

  /**
   * The window in pieces of equal length, oldest first.
   * @param pieces maximum number of pieces
   */
  curve(pieces: number): (SpanSum & { readonly startUnixMs: number })[] {
    const hours = Math.ceil(this.#windowHours / pieces);
    const found: (SpanSum & { readonly startUnixMs: number })[] = [];
    for (let hour = this.#windowStartHour; hour < this.#endHour && this.#endMinute > 0; hour += hours) {
      const end = Math.min(hour + hours, this.#endHour);
      if (end > this.#firstHour) {
        found.push({ startUnixMs: hour * hourMs, ...this.#hours.sum(hour, end) });
      }
    }
    return found;
  }
}

function spanSum(count: GoodCount | undefined): SpanSum {
  if (count === undefined) {
    return { total: 0, bad: 0 };
  }
  // The correction for duplicate spans can briefly leave more good spans than spans.
  const total = Math.max(0, count.total);
  return { total, bad: Math.min(total, Math.max(0, total - count.good)) };
}
