import { stringify } from "yaml";
import { connectorBoundsMs } from "../span-metric-bounds.ts";
import { alertName } from "./alert-message.ts";
import { burnRules, burnWindows, canFire } from "./burn-rates.ts";
import { allowedShare, type Objective } from "./objective.ts";

/** Name of the recorded series: the share of bad spans in a window. */
const share = (window: string) => `objective:bad_share:rate${window}`;

/** Writes a text in double quotes, in PromQL's form. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A pattern that matches any of the values, each as a whole. */
function anyOf(values: readonly string[]): string {
  return quoted(values.map((value) => value.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"));
}

/** Conditions on the labels of the metrics. */
function selectorOf({ service, operations, kinds }: Objective): string[] {
  return [
    `service_name=${quoted(service)}`,
    `span_kind=~${anyOf(kinds.map((kind) => `SPAN_KIND_${kind.toUpperCase()}`))}`,
    ...(operations.length === 0 ? [] : [`span_name=~${anyOf(operations)}`]),
  ];
}

/** The largest histogram bound not above a latency; the first bound for a shorter latency. */
function boundOf(latencyMs: number): number {
  return connectorBoundsMs.findLast((bound) => bound <= latencyMs) ?? connectorBoundsMs[0] ?? latencyMs;
}

/**
 * PromQL of the share of bad spans, 0 to 1.
 *
 * ```
 * (sum(rate(traces_span_metrics_calls_total{service_name="shop",…,status_code="STATUS_CODE_ERROR"}[5m])) or vector(0))
 *   / (sum(rate(traces_span_metrics_calls_total{service_name="shop",…}[5m])) > 0)
 * ```
 */
function badShare(objective: Objective, window: string): string {
  const selector = selectorOf(objective);
  const rate = (name: string, more: readonly string[] = []) =>
    `sum(rate(${name}{${[...selector, ...more].join(",")}}[${window}]))`;
  // Without calls no sample is recorded, because 0 / 0 is undefined.
  const calls = `(${rate("traces_span_metrics_calls_total")} > 0)`;
  if (objective.latencyMs === undefined) {
    const errors = rate("traces_span_metrics_calls_total", ['status_code="STATUS_CODE_ERROR"']);
    // Without errors the error series does not exist.
    return `(${errors} or vector(0)) / ${calls}`;
  }
  const good = rate("traces_span_metrics_duration_milliseconds_bucket", [
    // Prometheus 3 writes whole numbers as 250.0.
    `le=~"${String(boundOf(objective.latencyMs)).replaceAll(".", "\\\\.")}(\\\\.0)?"`,
    'status_code!="STATUS_CODE_ERROR"',
  ]);
  return `1 - (${good} or vector(0)) / ${calls}`;
}

/** Alert rules: one for each severity that can fire with this target. */
function alertsOf(objective: Objective): object[] {
  const { name, service, target, labels } = objective;
  return (["page", "ticket"] as const).flatMap((severity) => {
    const rules = burnRules.filter((rule) => rule.severity === severity && canFire(rule, target));
    if (rules.length === 0) {
      return [];
    }
    const expr = rules
      .map(({ long, short, factor }) => {
        const bound = Number((factor * allowedShare(target)).toPrecision(12));
        const above = (window: string) => `${share(window)}{objective=${quoted(name)}} > ${bound}`;
        return `(${above(long)} and ${above(short)})`;
      })
      .join(" or ");
    return [
      {
        alert: alertName,
        expr,
        labels: { ...labels, objective: name, service, severity },
        annotations: { summary: `${name}: the error budget of ${target} % is spent too fast` },
      },
    ];
  });
}

/**
 * Objectives as a rules file of Prometheus, over the metrics of `/api/metrics/prometheus`. Comments name the
 * objectives that Prometheus cannot count, and the latencies that it counts with another bound.
 */
export function prometheusRules(objectives: readonly Objective[]): string {
  const remarks: string[] = [];
  const groups = objectives.flatMap((objective) => {
    const { name, condition, latencyMs, alerts } = objective;
    if (condition !== "") {
      remarks.push(`${name} is left out: Prometheus has no attributes of spans`);
      return [];
    }
    if (latencyMs !== undefined && boundOf(latencyMs) !== latencyMs) {
      remarks.push(`${name}: a latency of ${latencyMs} ms is counted as ${boundOf(latencyMs)} ms`);
    }
    const records = burnWindows.map((window) => ({
      record: share(window.name),
      expr: badShare(objective, window.name),
      labels: { objective: name },
    }));
    return [{ name: `objective-${name}`, rules: [...records, ...(alerts ? alertsOf(objective) : [])] }];
  });
  const head = [
    "Rules of Prometheus for objectives. They read the metrics of /api/metrics/prometheus of tracing-query.",
    ...remarks,
  ];
  return `${head.map((line) => `# ${line}\n`).join("")}${stringify({ groups }, { lineWidth: 0 })}`;
}
