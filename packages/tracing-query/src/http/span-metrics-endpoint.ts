import type { QueryService } from "../service/query-service.ts";
import { bucketBoundsMs, type SpanCounter } from "../service/span-counters.ts";
import type { AnswerStyle, EndpointDefinition } from "./endpoint.ts";

const namespace = "traces_span_metrics";

const promStyle: AnswerStyle = {
  contentType: "text/plain; version=0.0.4; charset=utf-8",
  failure: (_, message) => `${message}\n`,
};

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}

function labelsOf({ service, operation, spanKind, failed }: SpanCounter): string {
  return (
    `service_name="${escaped(service)}",span_name="${escaped(operation)}",` +
    `span_kind="SPAN_KIND_${spanKind.toUpperCase()}",` +
    `status_code="${failed ? "STATUS_CODE_ERROR" : "STATUS_CODE_UNSET"}"`
  );
}

function* callsText(counters: readonly SpanCounter[]): Generator<string> {
  yield `# HELP ${namespace}_calls_total Spans.\n# TYPE ${namespace}_calls_total counter\n`;
  for (const counter of counters) {
    yield `${namespace}_calls_total{${labelsOf(counter)}} ${counter.calls}\n`;
  }
}

function* durationsText(counters: readonly SpanCounter[]): Generator<string> {
  const name = `${namespace}_duration_milliseconds`;
  yield `# HELP ${name} How long spans last.\n# TYPE ${name} histogram\n`;
  for (const counter of counters) {
    const labels = labelsOf(counter);
    let below = 0;
    let text = "";
    for (const [index, bound] of bucketBoundsMs.entries()) {
      below += counter.buckets[index] ?? 0;
      text += `${name}_bucket{${labels},le="${bound}"} ${below}\n`;
    }
    text += `${name}_bucket{${labels},le="+Inf"} ${counter.calls}\n`;
    text += `${name}_sum{${labels}} ${counter.durationMs}\n`;
    yield `${text}${name}_count{${labels}} ${counter.calls}\n`;
  }
}

function* spanMetricsText(counters: readonly SpanCounter[]): Generator<string> {
  yield* callsText(counters);
  yield* durationsText(counters);
}

/**
 * `GET /api/metrics/prometheus`: for Prometheus to scrape, under the names of OpenTelemetry's span metrics connector.
 * Source: Prometheus, "Exposition formats", text format 0.0.4
 */
export function spanMetricsEndpoint(service: QueryService): Pick<EndpointDefinition, "answer" | "style"> {
  return {
    answer: async (request) => spanMetricsText(await service.getSpanCounters(request.read)),
    style: promStyle,
  };
}
