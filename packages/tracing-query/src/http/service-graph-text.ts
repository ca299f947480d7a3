import { type CallCounter, callBoundsMs } from "../service/call-counters.ts";
import { histogramText, labelsText, metricHead } from "./prometheus-text.ts";

// Prefix of the metric names, required by Grafana's service graph.
const prefix = "traces_service_graph_request";

/** Labels of a pair of services. `messaging_system` marks calls through a queue. */
function labelsOf({ client, server, isMessage }: CallCounter): string {
  return labelsText({ client, server, connection_type: isMessage ? "messaging_system" : "" });
}

/** Counters of calls between services, in pieces, with the names of Tempo's metrics-generator. */
export function* serviceGraphText(counters: readonly CallCounter[]): Generator<string> {
  yield metricHead(`${prefix}_total`, "counter", "Calls of one service by another.");
  for (const counter of counters) {
    yield `${prefix}_total{${labelsOf(counter)}} ${counter.calls}\n`;
  }
  yield metricHead(`${prefix}_failed_total`, "counter", "Those whose called span failed.");
  for (const counter of counters) {
    yield `${prefix}_failed_total{${labelsOf(counter)}} ${counter.failed}\n`;
  }
  const seconds = `${prefix}_server_seconds`;
  yield metricHead(seconds, "histogram", "How long called spans last.");
  for (const counter of counters) {
    const histogram = { ...counter, boundsMs: callBoundsMs };
    yield histogramText(seconds, labelsOf(counter), histogram, { shown: callBoundsMs, unitMs: 1_000 });
  }
}
