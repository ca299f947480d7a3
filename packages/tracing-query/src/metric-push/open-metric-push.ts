import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { StartError } from "lifecycle/errors";
import type { SpanReader } from "storage/api";
import type { ReadCounters } from "../service/prometheus-counters.ts";
import type { SpanCounter } from "../service/span-counters.ts";
import { MetricPush, type MetricPushParts } from "./metric-push.ts";
import { type OlderForm, PushTarget } from "./push-target.ts";
import { toRemoteWriteV1 } from "./remote-write-v1.ts";

/** Parsed options of `metricPushOptions`, and the switch of tenancy. */
export interface MetricPushSettings {
  readonly "query.metrics-push.remote-write-url": string;
  readonly "query.metrics-push.otlp-url": string;
  readonly "query.metrics-push.interval": number;
  readonly "query.metrics-push.headers": ReadonlyMap<string, string>;
  readonly "query.metrics-push.tenant": string;
  readonly "multi-tenancy.enabled": boolean;
}

/** The store, and counters of its spans. */
export interface MetricPushSource {
  readonly reader: SpanReader;
  readonly readCounters: ReadCounters<SpanCounter>;
}

/** Headers in which a receiver of version 2 reports how much it wrote. */
const writtenHeader = /^x-prometheus-remote-write-(samples|histograms|exemplars)-written$/;

/** Headers that name the form of a body. */
const forms = {
  "remote-write": {
    "content-type": "application/x-protobuf;proto=io.prometheus.write.v2.Request",
    "content-encoding": "snappy",
    "x-prometheus-remote-write-version": "2.0.0",
  },
  "remote-write-v1": {
    "content-type": "application/x-protobuf",
    "content-encoding": "snappy",
    "x-prometheus-remote-write-version": "0.1.0",
  },
  otlp: { "content-type": "application/x-protobuf" },
} as const;

/**
 * Creates the push and its metrics. Pushing begins with `start`.
 * @throws StartError for tenancy without the option of the tenant, and for the option without tenancy
 */
export function openMetricPush(
  options: MetricPushSettings,
  source: MetricPushSource,
  { log, metrics }: { readonly log: Logger; readonly metrics: Registry },
): MetricPush {
  const tenant = options["query.metrics-push.tenant"];
  if (options["multi-tenancy.enabled"] !== (tenant !== "")) {
    throw new StartError(
      tenant === ""
        ? "option --query.metrics-push.tenant: name the tenant whose metrics are pushed, as --multi-tenancy.enabled is on"
        : "option --query.metrics-push.tenant: there are no tenants without --multi-tenancy.enabled",
    );
  }
  const targets: MetricPushParts["targets"] = (["remote-write", "otlp"] as const).flatMap((kind) => {
    const url = options[`query.metrics-push.${kind}-url`];
    if (url === "") {
      return [];
    }
    const own = Object.fromEntries(options["query.metrics-push.headers"]);
    const older = kind === "otlp" ? undefined : olderRemoteWrite(own);
    const settings = { url, headers: { ...forms[kind], ...own }, older };
    return [{ kind, target: new PushTarget(settings, { log }) }];
  });
  const push = new MetricPush({
    ...source,
    ...{ targets, intervalMs: options["query.metrics-push.interval"], tenant, log },
  });
  register(push, targets, [metrics]);
  return push;
}

/** Version 1 of remote write, for receivers that do not know version 2. */
function olderRemoteWrite(own: Readonly<Record<string, string>>): OlderForm {
  return {
    headers: { ...forms["remote-write-v1"], ...own },
    convert: toRemoteWriteV1,
    // A receiver of version 2 reports how much it wrote. A receiver of version 1 may ignore the content type and answer
    // 204 without these headers.
    knowsNewer: (headers) => Object.keys(headers).some((name) => writtenHeader.test(name)),
  };
}

function register(push: MetricPush, targets: MetricPushParts["targets"], registers: Registry[]): void {
  const prefix = "tracing_query_metrics_push_";
  new Counter({
    name: `${prefix}series_total`,
    help: "Series of span metrics by what became of them: sent, refused for good, or dropped because too much waited.",
    labelNames: ["kind", "target", "result"],
    registers,
    collect() {
      this.reset();
      for (const { kind, target } of targets) {
        const { sent, refused, dropped } = target.counts;
        for (const [result, count] of Object.entries({ sent, refused, dropped })) {
          this.inc({ kind, target: target.host, result }, count);
        }
      }
    },
  });
  new Counter({
    name: `${prefix}failures_total`,
    help: "Requests that failed and were sent again, and pushes that could not read the store.",
    labelNames: ["kind", "target"],
    registers,
    collect() {
      this.reset();
      for (const { kind, target } of targets) {
        this.inc({ kind, target: target.host }, target.counts.failedRequests);
      }
      this.inc({ kind: "read", target: "" }, push.failedReads);
    },
  });
  new Gauge({
    name: `${prefix}waiting_bytes`,
    help: "Bodies that wait to be sent.",
    labelNames: ["kind", "target"],
    registers,
    collect() {
      for (const { kind, target } of targets) {
        this.set({ kind, target: target.host }, target.waitingBytes);
      }
    },
  });
}
