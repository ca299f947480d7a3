import type { Need } from "./access.ts";

/**
 * The need of each route of the HTTP server, by method and path. A route that this table lacks is refused to everybody
 * while there is a file of access, and `routes.test.ts` names it.
 */
const routes: Readonly<Record<string, Need>> = {
  "GET /api/services": "viewer",
  "GET /api/services/:service/operations": "viewer",
  "GET /api/operations": "viewer",
  "GET /api/traces": "viewer",
  "GET /api/traces/:traceId": "viewer",
  "POST /api/archive/:traceId": "analyst",
  "POST /api/transform": "viewer",
  "GET /api/dependencies": "viewer",
  "GET /api/metrics/latencies": "viewer",
  "GET /api/metrics/calls": "viewer",
  "GET /api/metrics/errors": "viewer",
  "GET /api/metrics/minstep": "viewer",
  "GET /api/metrics/rates": "viewer",
  "GET /api/metrics/prometheus": "viewer",
  "GET /api/v3/services": "viewer",
  "GET /api/v3/operations": "viewer",
  "GET /api/v3/traces": "viewer",
  "GET /api/v3/traces/:traceId": "viewer",
  "GET /api/v3/trace-summaries": "viewer",
  "GET /api/analysis/v1/capabilities": "viewer",
  "GET /api/analysis/v1/heatmap": "viewer",
  "GET /api/analysis/v1/compare": "viewer",
  "POST /api/analysis/v1/compare": "viewer",
  "POST /api/analysis/v1/changes": "viewer",
  "GET /api/analysis/v1/attributes": "viewer",
  "GET /api/analysis/v1/attributes/:scope/:name/values": "viewer",
  "GET /api/analysis/v1/critical-path": "viewer",
  "GET /api/analysis/v1/critical-path/:traceId": "viewer",
  "GET /api/analysis/v1/dependencies": "viewer",
  "GET /api/analysis/v1/dependencies/graph": "viewer",
  "GET /api/analysis/v1/diff": "viewer",
  "GET /api/analysis/v1/exceptions": "viewer",
  "GET /api/analysis/v1/gen-ai": "viewer",
  "GET /api/analysis/v1/groups": "viewer",
  "GET /api/analysis/v1/model-prices": "viewer",
  "GET /api/analysis/v1/names": "viewer",
  "GET /api/analysis/v1/notes": "viewer",
  "GET /api/analysis/v1/operations/top": "viewer",
  "GET /api/analysis/v1/percentiles": "viewer",
  "GET /api/analysis/v1/percentiles/:traceId": "viewer",
  "GET /api/analysis/v1/tail": "viewer",
  "GET /api/analysis/v1/views": "viewer",
  "GET /api/objectives": "viewer",
  "GET /api/objectives/curve": "viewer",
  "GET /api/objectives/rules": "viewer",
  "GET /tempo/api/search": "viewer",
  "GET /tempo/api/search/tags": "viewer",
  "GET /tempo/api/v2/search/tags": "viewer",
  "GET /tempo/api/search/tag/*tag/values": "viewer",
  "GET /tempo/api/v2/search/tag/*tag/values": "viewer",
  "GET /tempo/api/traces/:traceId": "viewer",
  "GET /tempo/api/v2/traces/:traceId": "viewer",
  "GET /tempo/api/metrics/query_range": "viewer",
  "GET /tempo/api/metrics/query": "viewer",
  "POST /api/analysis/v1/links": "analyst",
  "POST /api/analysis/v1/notes": "analyst",
  "POST /api/analysis/v1/notes/remove": "analyst",
  "POST /api/analysis/v1/views": "analyst",
  "POST /api/analysis/v1/views/remove": "analyst",
  "POST /api/analysis/v1/views/rename": "analyst",
  // Grafana checks its data source with these; they read nothing.
  "GET /tempo/ready": "open",
  "GET /tempo/api/echo": "open",
  "GET /tempo/api/status/buildinfo": "open",
  "GET /api/analysis/v1/usage": "admin",
  "GET /api/openapi.json": "open",
  "GET /api/deletion/v1/jobs": "delete",
  "POST /api/deletion/v1/jobs": "delete",
  "GET /api/deletion/v1/jobs/:id": "delete",
  "POST /api/deletion/v1/jobs/:id/cancel": "delete",
  "GET /mcp": "viewer",
  "POST /mcp": "viewer",
  "GET /s/:id": "viewer",
};

export function needOfRoute(method: string, path: string): Need | undefined {
  const route = `${method} ${path}`;
  return Object.hasOwn(routes, route) ? routes[route] : undefined;
}

/** All routes that have a rule. */
export const ruledRoutes: readonly string[] = Object.keys(routes);
