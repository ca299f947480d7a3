import compression from "compression";
import { Router } from "express";
import type { Logger, TenantCheck } from "lifecycle";
import type { AdjustOptions } from "../service/adjusters/adjust-trace.ts";
import type { QueryService } from "../service/query-service.ts";
import {
  archiveEndpoint,
  dependenciesEndpoint,
  metricsEndpoint,
  transformEndpoint,
} from "./absent-endpoints.ts";
import { type Endpoint, endpoint } from "./endpoint.ts";
import { operationNamesEndpoint, operationsEndpoint, servicesEndpoint } from "./name-endpoints.ts";
import { searchEndpoint, traceEndpoint } from "./trace-endpoints.ts";

/** Traces are large and alike: the cheapest level already makes them a tenth. */
const compressionLevel = 1;

/** The JSON endpoints under `/api`. Paths that it does not know are left to the next router. */
export function apiRouter(
  service: QueryService,
  options: AdjustOptions,
  tenants: TenantCheck,
  log: Logger,
): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const add = (method: "GET" | "POST", path: string, answer: Endpoint) =>
    router.all(path, compression({ level: compressionLevel }), endpoint(method, answer, tenants, log));

  add("GET", "/api/services", servicesEndpoint(service));
  add("GET", "/api/services/:service/operations", operationNamesEndpoint(service));
  add("GET", "/api/operations", operationsEndpoint(service));
  add("GET", "/api/traces", searchEndpoint(service, options));
  add("GET", "/api/traces/:traceId", traceEndpoint(service, options));
  add("POST", "/api/archive/:traceId", archiveEndpoint);
  add("POST", "/api/transform", transformEndpoint);
  add("GET", "/api/dependencies", dependenciesEndpoint);
  for (const metric of ["latencies", "calls", "errors", "minstep"]) {
    add("GET", `/api/metrics/${metric}`, metricsEndpoint);
  }
  return router;
}
