import { Counter, Gauge, type Registry, type ResourceKind, type SharedResource } from "server-module-api";
import type { Bouncer } from "./bouncer.ts";
import type { UsageCount } from "./messages.ts";

/** Maximum number of label sets that are counted. Further blocked requests are counted with the origin `other`. */
const maxLabelSets = 1_000;

/**
 * Counts requests of one thread, over all configs: for reports to the local API, and for the server's metrics if a
 * config enables them. Names are those of hslatman/caddy-crowdsec-bouncer.
 */
export class RequestCounts implements SharedResource {
  readonly #registry: Registry;
  readonly #counts = new Map<string, { -readonly [Key in keyof UsageCount]: UsageCount[Key] }>();
  #processed: Counter<"server" | "ip_type"> | undefined;
  #blocked: Counter<"server" | "origin" | "remediation" | "ip_type"> | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Counts since the thread's start. */
  get counts(): UsageCount[] {
    return [...this.#counts.values()];
  }

  /** Shows the counts among the server's metrics from now on. */
  show(): void {
    const registers = [this.#registry];
    this.#processed ??= new Counter({
      name: "crowdsec_requests_processed",
      help: "The total number of requests handled",
      labelNames: ["server", "ip_type"],
      registers,
    });
    this.#blocked ??= new Counter({
      name: "crowdsec_requests_blocked",
      help: "The total number of requests blocked",
      labelNames: ["server", "origin", "remediation", "ip_type"],
      registers,
    });
  }

  processed(server: string, address: string): void {
    const labels = { server, ip_type: ipType(address) };
    this.#add("processed", labels);
    this.#processed?.inc(labels);
  }

  blocked(server: string, address: string, by: { readonly origin: string; readonly type: string }): void {
    const origin = this.#counts.size < maxLabelSets ? by.origin : "other";
    const labels = { server, origin, remediation: by.type, ip_type: ipType(address) };
    this.#add("dropped", labels);
    this.#blocked?.inc(labels);
  }

  close(): void {
    for (const name of ["crowdsec_requests_processed", "crowdsec_requests_blocked"]) {
      this.#registry.removeSingleMetric(name);
    }
  }

  #add(name: UsageCount["name"], labels: UsageCount["labels"]): void {
    const key = JSON.stringify([name, labels]);
    const count = this.#counts.get(key);
    if (count === undefined) {
      this.#counts.set(key, { name, labels, value: 1 });
    } else {
      count.value++;
    }
  }
}

function ipType(address: string): string {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** One set of counts for all configs of a thread, so a reload does not reset them. */
export const requestCounts: ResourceKind<RequestCounts> = { name: "crowdsec.requests" };

/** Names of the metrics of the main thread. */
const ofMain = [
  "crowdsec_decisions_active",
  "crowdsec_decisions_refused",
  "crowdsec_bouncer_lapi_requests_total",
  "crowdsec_bouncer_lapi_requests_failures_total",
] as const;

/** Number of active decisions by origin and family. */
export function activeDecisions(bouncer: Bouncer): { origin: string; ip_type: string; value: number }[] {
  const { kinds = [], families = [] } = bouncer.table ?? {};
  const nowS = Date.now() / 1000;
  return families.flatMap((groups, family) => {
    const counts = new Map<string, number>();
    for (const { ends, kinds: ofGroup } of groups) {
      for (const [index, end] of ends.entries()) {
        if (end > nowS) {
          const origin = kinds[ofGroup[index] ?? 0]?.origin ?? "";
          counts.set(origin, (counts.get(origin) ?? 0) + 1);
        }
      }
    }
    return [...counts].map(([origin, value]) => ({ origin, ip_type: family === 0 ? "ipv4" : "ipv6", value }));
  });
}

/**
 * Metrics of the app: decisions in memory, and calls to the local API. Their values are computed for each request of
 * the metrics.
 */
export class AppMetrics implements SharedResource {
  readonly #registry: Registry;
  /** The bouncer of the newest config. */
  #bouncer: Bouncer | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
    const [active, refused, calls, failures] = ofMain;
    const gauge = (
      name: string,
      help: string,
      labelNames: string[],
      fill: (gauge: Gauge<string>, of: Bouncer) => void,
    ) => {
      const show = () => this.#bouncer;
      new Gauge<string>({
        name,
        help,
        labelNames,
        registers: [registry],
        collect() {
          const bouncer = show();
          if (bouncer !== undefined) {
            this.reset();
            fill(this, bouncer);
          }
        },
      });
    };
    gauge(active, "The current number of active decisions", ["origin", "ip_type"], (each, of) => {
      for (const { value, ...labels } of activeDecisions(of)) {
        each.set(labels, value);
      }
    });
    gauge(refused, "Decisions over the limit max_decisions", [], (each, of) => each.set(of.figures.refused));
    const byMode = (each: Gauge<string>, counts: Readonly<Record<string, number>>) => {
      for (const [mode, value] of Object.entries(counts)) {
        each.set({ mode }, value);
      }
    };
    gauge(calls, "The total number of calls to CrowdSec LAPI", ["mode"], (each, of) =>
      byMode(each, of.figures.calls),
    );
    gauge(failures, "The total number of failed calls to CrowdSec LAPI", ["mode"], (each, of) =>
      byMode(each, of.figures.failures),
    );
  }

  show(bouncer: Bouncer): void {
    this.#bouncer = bouncer;
  }

  close(): void {
    for (const name of ofMain) {
      this.#registry.removeSingleMetric(name);
    }
  }
}

/** One set of metrics for all configs. */
export const appMetrics: ResourceKind<AppMetrics> = { name: "crowdsec.metrics" };
