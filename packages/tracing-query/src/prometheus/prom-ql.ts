import type { MetricsQuery } from "storage/api";
import { formatDurationNano } from "../go-text/go-duration.ts";
import type { PrometheusOptions } from "./prometheus-options.ts";

// Names of units in the metric names of OpenTelemetry's connector.
const unitNames = { ms: "milliseconds", s: "seconds" } as const;

/**
 * PromQL for the metrics of OpenTelemetry's span metrics connector, with exactly Jaeger's text.
 *
 * ```
 * calls    sum(rate(traces_span_metrics_calls{service_name =~ "shop|db", span_kind =~ "SPAN_KIND_SERVER"}[10m]))
 *            by (service_name)
 * errors   the query of calls with status_code = "STATUS_CODE_ERROR", divided by calls
 * ```
 */
export class PromQl {
  // Name of the counter, such as `traces_span_metrics_calls_total`.
  readonly #calls: string;
  // Name of the histogram without `_bucket`.
  readonly #duration: string;
  // Label that names the tenant; "" for metrics without tenants.
  readonly #tenantLabel: string;

  constructor(options: PrometheusOptions) {
    const namespace = options["prometheus.query.namespace"];
    const prefix = namespace === "" ? "" : `${namespace}_`;
    this.#calls = `${prefix}calls${options["prometheus.query.normalize-calls"] ? "_total" : ""}`;
    const unit = options["prometheus.query.normalize-duration"]
      ? `_${unitNames[options["prometheus.query.duration-unit"]]}`
      : "";
    this.#duration = `${prefix}duration${unit}`;
    this.#tenantLabel = options["prometheus.query.tenant-label"];
  }

  /** @param tenant restricts the query to this tenant if the metrics have a tenant label; also in the methods below */
  latencies(query: MetricsQuery, quantile: number, tenant: string): string {
    const { services, kinds, rate, by } = this.#partsOf(query, tenant);
    return `histogram_quantile(${quantile.toFixed(2)}, sum(rate(${this.#duration}_bucket{service_name =~ ${services}, ${kinds}}[${rate}])) by (${by},le))`;
  }

  /** Calls a second. */
  calls(query: MetricsQuery, tenant: string): string {
    const { services, kinds, rate, by } = this.#partsOf(query, tenant);
    return `sum(rate(${this.#calls}{service_name =~ ${services}, ${kinds}}[${rate}])) by (${by})`;
  }

  /** Share of calls that failed. The result has no series for a name without a failed call. */
  errors(query: MetricsQuery, tenant: string): string {
    const { services, kinds, rate, by } = this.#partsOf(query, tenant);
    const failed = `sum(rate(${this.#calls}{service_name =~ ${services}, status_code = "STATUS_CODE_ERROR", ${kinds}}[${rate}])) by (${by})`;
    return `${failed} / ${this.calls(query, tenant)}`;
  }

  #partsOf(query: MetricsQuery, tenant: string) {
    const parts = partsOf(query);
    const label = this.#tenantLabel;
    return label === "" ? parts : { ...parts, services: `${parts.services}, ${label} = ${quoted(tenant)}` };
  }
}

function partsOf({ services, spanKinds, ratePerMs, groupByOperation }: MetricsQuery) {
  const kinds = spanKinds.map((kind) => `SPAN_KIND_${kind.toUpperCase()}`).join("|");
  return {
    services: quoted(services.join("|")),
    kinds: spanKinds.length === 0 ? "" : `span_kind =~ "${kinds}"`,
    rate: firstUnit(formatDurationNano(BigInt(ratePerMs) * 1_000_000n)),
    by: groupByOperation ? "service_name,span_name" : "service_name",
  };
}

/** Escapes a name, because a quote in a name must not end the string. Jaeger inserts names unchanged. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`))}"`;
}

/**
 * Keeps the first unit only, as Jaeger does: `10m0s` becomes `10m`. `1.5s` stays unchanged, and PromQL refuses it.
 */
function firstUnit(duration: string): string {
  return /^[^a-zµ]*[a-zµ]/.exec(duration)?.[0] ?? duration;
}
