import { handlerDirective } from "serverfile/directives/directive";
import { readRoutes } from "serverfile/directives/read-block";
import type { Draft } from "serverfile/values/draft";
import { readReverseProxy } from "./reverse-proxy-fields.ts";

/**
 * `reverse_proxy upstream… { … }`: forwards requests to upstreams.
 * ```
 * reverse_proxy app1:8080 app2:8080 {
 *   lb_policy least_conn
 *   lb_retries 2
 *   health_uri /health
 *   health_interval 10s
 *   fail_duration 30s
 *   header_up X-Real-IP {remote_host}
 *   @error status 5xx
 *   handle_response @error {
 *     respond "Down" 503
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "reverse_proxy",
 *   "upstreams": [{ "dial": "app1:8080" }, { "dial": "app2:8080" }],
 *   "load_balancing": { "selection_policy": { "policy": "least_conn" }, "retries": 2 },
 *   "health_checks": {
 *     "active": { "uri": "/health", "interval": 10000000000 },
 *     "passive": { "fail_duration": 30000000000 }
 *   },
 *   "headers": { "request": { "set": { "X-Real-Ip": ["{http.request.remote.host}"] } } },
 *   "handle_response": [
 *     {
 *       "match": { "status_code": [5] },
 *       "routes": [
 *         {
 *           "handle": [
 *             {
 *               "handler": "static_response",
 *               "status_code": 503,
 *               "body": "Down"
 *             }
 *           ]
 *         }
 *       ]
 *     }
 *   ]
 * }
 * ```
 */
export const reverseProxy = handlerDirective((context) => {
  const { cursor } = context;
  cursor.next();
  const draft: Draft = { handler: "reverse_proxy" };
  readReverseProxy(cursor, draft, context, (inner) => readRoutes({ ...context, cursor: inner }, true));
  return draft;
});
