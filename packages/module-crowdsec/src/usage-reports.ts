import { setTimeout as wait } from "node:timers/promises";
import { type Logger, type ModuleContext, messageOf, type ThreadMessages, version } from "server-module-api";
import type { Bouncer } from "./bouncer.ts";
import { activeDecisions } from "./crowdsec-metrics.ts";
import { crowdsecTopics, type UsageCount } from "./messages.ts";

interface UsageItem {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Reports usage to the local API: decisions in memory, and requests since the last report. A repeated failure is logged
 * once, and the requests of a failed report are part of the next report. Source: CrowdSec, localapi_swagger.yaml,
 * `/usage-metrics`
 */
export class UsageReports {
  readonly #bouncer: Bouncer;
  readonly #intervalMs: number;
  readonly #messages: ThreadMessages;
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #startedAtS = Math.floor(Date.now() / 1000);
  /** Sums of the last report that arrived, by name and labels. */
  #reported = new Map<string, number>();
  #reportedAtS = this.#startedAtS;
  #hasFailed = false;
  #running: Promise<void> | undefined;

  constructor(bouncer: Bouncer, intervalMs: number, context: ModuleContext) {
    this.#bouncer = bouncer;
    this.#intervalMs = intervalMs;
    this.#messages = context.messages;
    this.#log = context.log;
  }

  start(): void {
    this.#running = this.#reportAgainAndAgain();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #reportAgainAndAgain(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await wait(Math.min(this.#intervalMs, 2 ** 31 - 1), undefined, { signal, ref: false }).catch(() => {});
      if (!signal.aborted) {
        await this.#report();
      }
    }
  }

  async #report(): Promise<void> {
    try {
      const threads = (await this.#messages.askServing(crowdsecTopics.usage, null)) as UsageCount[][];
      const sums = new Map<string, UsageCount>();
      for (const count of threads.flat()) {
        const key = JSON.stringify([count.name, count.labels]);
        sums.set(key, { ...count, value: count.value + (sums.get(key)?.value ?? 0) });
      }
      const nowS = Math.floor(Date.now() / 1000);
      await this.#bouncer.client.sendUsage(this.#usage(sums, nowS));
      this.#reported = new Map([...sums].map(([key, { value }]) => [key, value]));
      this.#reportedAtS = nowS;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed && !this.#stop.signal.aborted) {
        this.#log.warn(`crowdsec: usage was not reported: ${messageOf(error)}`);
      }
      this.#hasFailed = true;
    }
  }

  #usage(sums: ReadonlyMap<string, UsageCount>, nowS: number): object {
    const active = activeDecisions(this.#bouncer).map(
      ({ value, ...labels }): UsageItem => ({ name: "active_decisions", unit: "ip", value, labels }),
    );
    // The counts of a thread that died are lost, so a sum may have fallen.
    const requests = [...sums].map(
      ([key, { name, labels, value }]): UsageItem => ({
        name,
        unit: "request",
        value: Math.max(0, value - (this.#reported.get(key) ?? 0)),
        labels,
      }),
    );
    return {
      remediation_components: [
        {
          name: "server-cs-bouncer",
          type: "server-cs-bouncer",
          version: version.gitVersion,
          os: { name: process.platform, version: process.getBuiltinModule("node:os").release() },
          feature_flags: [],
          utc_startup_timestamp: this.#startedAtS,
          metrics: [
            {
              meta: {
                utc_now_timestamp: nowS,
                window_size_seconds: nowS - this.#reportedAtS,
              },
              items: [...active, ...requests],
            },
          ],
        },
      ],
    };
  }
}
