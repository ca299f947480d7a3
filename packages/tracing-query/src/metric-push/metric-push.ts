import type { Logger } from "lifecycle";
import type { ReadOptions, SpanReader } from "storage/api";
import type { ReadCounters } from "../service/prometheus-counters.ts";
import type { SpanCounter } from "../service/span-counters.ts";
import { newestExemplars, type SpanExemplar } from "./exemplars.ts";
import { otlpMetricsBody } from "./otlp-metrics-body.ts";
import type { PushTarget } from "./push-target.ts";
import { remoteWriteBody } from "./remote-write-body.ts";
import { type SpanSeries, spanSeriesOf } from "./span-series.ts";

/** Maximum number of series in one request. Receivers often refuse bodies of more than a few megabytes. */
const seriesPerRequest = 500;

/** Sources and targets of a push. */
export interface MetricPushParts {
  readonly readCounters: ReadCounters<SpanCounter>;
  /** Reads the spans of exemplars. */
  readonly reader: SpanReader;
  readonly targets: readonly { readonly kind: "remote-write" | "otlp"; readonly target: PushTarget }[];
  /** Milliseconds between pushes. */
  readonly intervalMs: number;
  /** Tenant whose spans are counted. */
  readonly tenant: string;
  readonly log: Logger;
}

/** Sends counters of spans at intervals. A push that cannot read the store is left out; the next one has its counts. */
export class MetricPush {
  readonly #parts: MetricPushParts;
  readonly #startUnixMs = Date.now();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  /**
   * Start of the newest exemplar that was sent. Receivers refuse a whole request for an exemplar that is older than the
   * last one of its series, so each push begins after this time.
   */
  #exemplarsUntilMs: number;
  /** Pushes that could not read the store. */
  failedReads = 0;

  constructor(parts: MetricPushParts) {
    this.#parts = parts;
    this.#exemplarsUntilMs = this.#startUnixMs - parts.intervalMs;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running.then(() => this.push());
    }, this.#parts.intervalMs);
    this.#timer.unref();
  }

  /** Stops the timer, and sends waiting bodies until the signal is aborted. */
  async close(signal: AbortSignal): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    await this.#running;
    await Promise.all(this.#parts.targets.map(({ target }) => target.close(signal)));
  }

  /** Reads the counters, and hands them to every target. */
  async push(): Promise<void> {
    if (this.#stop.signal.aborted) {
      return;
    }
    const options = { tenant: this.#parts.tenant, signal: this.#stop.signal };
    const unixMs = Date.now();
    let series: SpanSeries[];
    try {
      const counters = await this.#parts.readCounters(options);
      series = spanSeriesOf(counters, await this.#newest(unixMs, options));
    } catch (error) {
      this.failedReads++;
      this.#parts.log.warn({ err: error }, "metrics to push cannot be read");
      return;
    }
    for (let first = 0; first < series.length; first += seriesPerRequest) {
      const part = series.slice(first, first + seriesPerRequest);
      for (const { kind, target } of this.#parts.targets) {
        const body = kind === "otlp" ? otlpMetricsBody : remoteWriteBody;
        const bytes = body(part, { startUnixMs: this.#startUnixMs, unixMs });
        target.submit({ bytes, series: part.length });
      }
    }
  }

  /** Exemplars since the last push. They are optional: after a failure the push has none. */
  async #newest(untilUnixMs: number, options: ReadOptions): Promise<Map<string, SpanExemplar[]>> {
    const { reader, log } = this.#parts;
    try {
      const times = { afterUnixMs: this.#exemplarsUntilMs, untilUnixMs };
      const exemplars = await newestExemplars(reader, times, options);
      for (const { startUnixMs } of [...exemplars.values()].flat()) {
        this.#exemplarsUntilMs = Math.max(this.#exemplarsUntilMs, startUnixMs);
      }
      return exemplars;
    } catch (error) {
      log.debug({ err: error }, "no exemplars");
      return new Map();
    }
  }
}
