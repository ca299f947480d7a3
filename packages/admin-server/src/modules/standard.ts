import type { ModuleDefinition } from "../core/modules/module.ts";
import { httpApp } from "../http/http-app.ts";
import { metricsRoute } from "./admin-routes/metrics.ts";
import { reverseProxyUpstreams } from "./admin-routes/reverse-proxy-upstreams.ts";
import { headers } from "./handlers/headers.ts";
import { reverseProxy } from "./handlers/reverse-proxy/reverse-proxy.ts";
import { staticResponse } from "./handlers/static-response.ts";
import { subroute } from "./handlers/subroute.ts";
import { tracing } from "./handlers/tracing/tracing.ts";
import { vars } from "./handlers/vars.ts";
import { hostMatcher } from "./matchers/host.ts";
import { methodMatcher } from "./matchers/method.ts";
import { pathMatcher } from "./matchers/path.ts";
import { randomPolicy } from "./policies/random.ts";
import { roundRobinPolicy } from "./policies/round-robin.ts";

/** Every module of the server: the one list. */
export const standardModules: readonly ModuleDefinition[] = [
  httpApp,
  hostMatcher,
  methodMatcher,
  pathMatcher,
  headers,
  reverseProxy,
  staticResponse,
  subroute,
  tracing,
  vars,
  randomPolicy,
  roundRobinPolicy,
  metricsRoute,
  reverseProxyUpstreams,
];
