import { Router } from "express";
import type { DeletionJobs } from "../deletion/deletion-jobs.ts";
import { analysisEndpoints } from "../http/analysis/analysis-endpoints.ts";
import { type TailSettings, tailHandler, tailOperation } from "../http/analysis/tail.ts";
import { apiV3Endpoints } from "../http/api-v3-endpoints.ts";
import { deletionEndpoints } from "../http/deletion/deletion-endpoints.ts";
import { dependenciesEndpoint } from "../http/dependencies-endpoint.ts";
import { type EndpointDefinition, endpoint, envelopeStyle } from "../http/endpoint.ts";
import { metricsEndpoints } from "../http/metrics-endpoints.ts";
import { operationNamesEndpoint, operationsEndpoint, servicesEndpoint } from "../http/name-endpoints.ts";
import { objectiveEndpoints } from "../http/objectives/objectives-endpoint.ts";
import { problemStyle } from "../http/problem.ts";
import { ratesEndpoint, ratesOperation } from "../http/rates-endpoint.ts";
import { readBody } from "../http/read-body.ts";
import { searchEndpoint } from "../http/search-endpoint.ts";
import { sendText } from "../http/send-pieces.ts";
import { SharedJson } from "../http/shared-json.ts";
import { spanMetricsEndpoint } from "../http/span-metrics-endpoint.ts";
import { archiveEndpoint, traceEndpoint } from "../http/trace-endpoints.ts";
import { transformEndpoint } from "../http/transform-endpoint.ts";
import type { ObjectiveBoard } from "../objectives/objective-board.ts";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { KeptStores } from "../service/kept-stores.ts";
import type { QueryService } from "../service/query-service.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import type { SearchCounts } from "../usage/search-counts.ts";
import { openApiHandler } from "./openapi-handler.ts";

/** Settings of the API under `/api`. */
export interface ApiSettings extends TailSettings, KeptStores {
  /** Corrections of shown traces. */
  readonly adjust: AdjustOptions;
  /** Maximum number of traces, spans and bytes that one request may read. */
  readonly limits: ReadLimits;
  /** Counts of searches; undefined: usage is not shown. */
  readonly searchCounts?: SearchCounts | undefined;
  /** Deletions of the process; undefined: spans are not deleted here. */
  readonly deletion?: DeletionJobs | undefined;
  /** Objectives of the process, for `/api/objectives`. */
  readonly objectives: ObjectiveBoard;
}

/** The JSON endpoints under `/api`. Unknown paths go to the next router. */
export function apiRouter(service: QueryService, settings: ApiSettings): Router {
  const { adjust, limits, views, notes, prices } = settings;
  // JSON texts that all traces share, such as processes and tags.
  const shared = new SharedJson();
  const router = Router({ strict: true, caseSensitive: true });
  // Adds an endpoint. The default is a light GET in Jaeger's envelope.
  const add = (path: string, definition: Partial<EndpointDefinition> & Pick<EndpointDefinition, "answer">) =>
    router.all(
      path,
      endpoint({ method: "GET", style: envelopeStyle, isHeavy: false, ...definition }, settings),
    );

  add("/api/services", { answer: servicesEndpoint(service) });
  add("/api/services/:service/operations", { answer: operationNamesEndpoint(service) });
  add("/api/operations", { answer: operationsEndpoint(service) });
  add("/api/traces", { answer: searchEndpoint(service, adjust, limits, shared), isHeavy: true });
  const ofOneTrace = { isHeavy: true, isOfOneTrace: true };
  add("/api/traces/:traceId", { answer: traceEndpoint(service, adjust, limits, shared), ...ofOneTrace });
  add("/api/archive/:traceId", { method: "POST", answer: archiveEndpoint(service), ...ofOneTrace });
  add("/api/transform", { method: "POST", answer: transformEndpoint, isHeavy: true, readBody });
  add("/api/dependencies", { answer: dependenciesEndpoint(service) });
  for (const [path, answer] of metricsEndpoints(service)) {
    add(path, { answer });
  }
  add(ratesOperation.path, { answer: ratesEndpoint(service) });
  add("/api/metrics/prometheus", spanMetricsEndpoint(service));
  for (const [path, definition] of apiV3Endpoints(service, limits, adjust)) {
    add(path, definition);
  }
  for (const [path, definition] of analysisEndpoints(service, {
    ...settings,
    adjust,
    limits,
    views,
    notes,
    prices,
  })) {
    add(path, definition);
  }
  for (const [path, definition] of objectiveEndpoints(settings.objectives)) {
    add(path, definition);
  }
  for (const [path, definition] of deletionEndpoints(settings.deletion)) {
    add(path, definition);
  }
  router.all(tailOperation.path, tailHandler(service.analysis, settings));
  router.all("/api/openapi.json", openApiHandler());
  // Without this route an unknown path would get a failure in Jaeger's envelope, not a problem of RFC 9457.
  router.all("/api/analysis/*path", (_request, response) => {
    response.status(404).setHeader("Content-Type", String(problemStyle.failureType));
    sendText(response, problemStyle.failure(404, "there is no such endpoint for analysis"));
  });
  return router;
}
