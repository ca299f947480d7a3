import { Router } from "express";
import { type AnswerStyle, type Endpoint, type EndpointSettings, endpoint } from "../http/endpoint.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import { queryInstantEndpoint, queryRangeEndpoint } from "./metrics-endpoints.ts";
import { searchEndpoint } from "./search-endpoint.ts";
import { buildInfoEndpoint, echoEndpoint, readyEndpoint } from "./status-endpoints.ts";
import { tagsEndpoint, tagsV2Endpoint, tagValuesEndpoint, tagValuesV2Endpoint } from "./tag-endpoints.ts";
import { traceEndpoint, traceV2Endpoint } from "./trace-endpoints.ts";

/** Settings of the API under `/tempo`. */
export interface TempoSettings extends EndpointSettings {
  /** Maximum number of traces, spans and bytes of one request, the same as in the other APIs. */
  readonly limits: ReadLimits;
}

/** Answers in JSON, failures as a line of text without a newline, as Tempo sends them. */
const tempoStyle: AnswerStyle = {
  contentType: "application/json",
  failure: (_status, message) => message,
};

/**
 * The API that Grafana's Tempo data source uses, under `/tempo`, with the answers of Grafana Tempo. Source:
 * Tempo's documentation of its HTTP API; Grafana's data source `tempo`
 */
export function tempoRouter(service: QueryService, settings: TempoSettings): Router {
  const { limits } = settings;
  const router = Router({ strict: true, caseSensitive: true });
  // Adds an endpoint. A heavy endpoint holds a place of the gate; reads of one trace have a separate queue.
  const add = (path: string, answer: Endpoint, isHeavy = false, isOfOneTrace = false) =>
    router.all(
      `/tempo${path}`,
      endpoint({ method: "GET", style: tempoStyle, answer, isHeavy, isOfOneTrace }, settings),
    );

  add("/ready", readyEndpoint);
  add("/api/echo", echoEndpoint);
  add("/api/status/buildinfo", buildInfoEndpoint);
  add("/api/search", searchEndpoint(service, limits), true);
  add("/api/search/tags", tagsEndpoint(service, limits));
  add("/api/search/tag/*tag/values", tagValuesEndpoint(service, limits));
  add("/api/v2/search/tags", tagsV2Endpoint(service, limits));
  add("/api/v2/search/tag/*tag/values", tagValuesV2Endpoint(service, limits));
  add("/api/traces/:traceId", traceEndpoint(service, limits), true, true);
  add("/api/v2/traces/:traceId", traceV2Endpoint(service, limits), true, true);
  add("/api/metrics/query_range", queryRangeEndpoint(service, limits), true);
  add("/api/metrics/query", queryInstantEndpoint(service, limits), true);
  // Without this route an unknown path would get the UI's page.
  router.use("/tempo", (_request, response) => {
    response.status(404).type("text/plain").send("404 page not found\n");
  });
  return router;
}
