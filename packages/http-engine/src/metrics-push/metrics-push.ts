import type { Counter } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { MetricOfRegistry } from "./metrics-as-otlp.ts";
import type { MetricsExporter } from "./otlp-metrics-exporter.ts";

/** Milliseconds that a stopping server waits for its last push. Values that take longer are lost. */
const flushTimeoutMs = 2_000;

/** Source, receiver and interval of metrics that are pushed. */
export interface MetricsPushOptions {
  /** Sends the exports. A failed export is counted and logged, and not repeated. */
  readonly exporter: MetricsExporter;
  /** Reads the registries of all threads. */
  readonly collect: () => Promise<readonly MetricOfRegistry[]>;
  /** Milliseconds from the start of one push to the start of the next push. */
  readonly intervalMs: number;
  /** Counts failed exports. The collector gets no values until the next successful export. */
  readonly failures: Counter;
  /** Log for the first of consecutive failures, and for the first success after them. */
  readonly log: Logger;
}

/**
 * Pushes metrics at intervals until it is stopped, one push at a time. A push that is due while another push runs is
 * skipped, because the next push contains all values. The log gets one line when the collector fails, and one when
 * pushes succeed again.
 */
export class MetricsPush {
  readonly #options: MetricsPushOptions;
  readonly #timer: NodeJS.Timeout;
  #pushing: Promise<void> | undefined;
  #failed = 0;

  constructor(options: MetricsPushOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#push(), options.intervalMs);
    this.#timer.unref();
  }

  /** Ends the interval, and pushes the last values within two seconds. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, flushTimeoutMs);
    await Promise.race([this.#flush(), timeout]);
    clearTimeout(timer);
  }

  async #flush(): Promise<void> {
    await this.#pushing;
    await this.#push();
    await this.#options.exporter.close();
  }

  #push(): Promise<void> {
    this.#pushing ??= this.#pushOnce().finally(() => {
      this.#pushing = undefined;
    });
    return this.#pushing;
  }

  async #pushOnce(): Promise<void> {
    const { collect, exporter, failures, log } = this.#options;
    try {
      await exporter.send(await collect());
    } catch (error) {
      failures.inc();
      if (this.#failed++ === 0) {
        log.warn(`metrics cannot be pushed until the collector is back: ${messageOf(error)}`);
      }
      return;
    }
    if (this.#failed > 0) {
      log.info(`metrics are pushed again; ${this.#failed} pushes failed`);
      this.#failed = 0;
    }
  }
}
