import type { PartialAnswer } from "storage/api";
import { QueryError } from "../query-error.ts";
import type { CallCounter } from "../service/call-counters.ts";
import type { QueryService } from "../service/query-service.ts";
import type { SpanCounter } from "../service/span-counters.ts";
import type { AnswerStyle, EndpointDefinition } from "./endpoint.ts";
import { serviceGraphText } from "./service-graph-text.ts";
import { connectorNames, spanMetricsText, tempoNames } from "./span-metrics-text.ts";

const promStyle: AnswerStyle = {
  contentType: "text/plain; version=0.0.4; charset=utf-8",
  failure: (_, message) => `${message}\n`,
};

/** Naming schemes of metrics: see `connectorNames` and `tempoNames`. */
export const metricNamings = ["otel", "tempo"] as const;

type MetricNaming = (typeof metricNamings)[number];

/** @throws QueryError QUERY_BAD_PARAMETER */
function namingsOf(params: URLSearchParams): ReadonlySet<MetricNaming> {
  const asked = params.getAll("names").map((text) => {
    const naming = metricNamings.find((one) => one === text);
    if (naming === undefined) {
      throw new QueryError(
        "QUERY_BAD_PARAMETER",
        `unable to parse param 'names': neither ${metricNamings.join(" nor ")}: ${JSON.stringify(text)}`,
        { parameter: "names" },
      );
    }
    return naming;
  });
  return new Set(asked.length === 0 ? ["otel"] : asked);
}

function* metricsText(
  namings: ReadonlySet<MetricNaming>,
  spans: readonly SpanCounter[],
  calls: readonly CallCounter[],
  partial: PartialAnswer | undefined,
): Generator<string> {
  // Written as a comment, because the format has no field for it.
  for (const { text } of partial?.reasons ?? []) {
    yield `# partial: ${text.replaceAll("\n", " ")}\n`;
  }
  if (namings.has("otel")) {
    yield* spanMetricsText(spans, connectorNames);
  }
  if (namings.has("tempo")) {
    yield* spanMetricsText(spans, tempoNames);
    yield* serviceGraphText(calls);
  }
}

/** `GET /api/metrics/prometheus`: for Prometheus to scrape. */
export function spanMetricsEndpoint(service: QueryService): Pick<EndpointDefinition, "answer" | "style"> {
  return {
    answer: async ({ params, read }) => {
      const namings = namingsOf(params);
      const spans = await service.getSpanCounters(read);
      const calls = namings.has("tempo") ? await service.getCallCounters(read) : [];
      return metricsText(namings, spans, calls, read.reasons.partial);
    },
    style: promStyle,
  };
}
