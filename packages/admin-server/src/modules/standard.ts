import type { ModuleDefinition } from "../core/modules/module.ts";
import { httpApp } from "../http/http-app.ts";
import { metricsRoute } from "./admin-routes/metrics.ts";
import { reverseProxyUpstreams } from "./admin-routes/reverse-proxy-upstreams.ts";
import { brotliEncoder } from "./encoders/brotli.ts";
import { gzipEncoder } from "./encoders/gzip.ts";
import { zstdEncoder } from "./encoders/zstd.ts";
import { argon2idHash } from "./handlers/authentication/argon2id-hash.ts";
import { authentication } from "./handlers/authentication/authentication.ts";
import { bcryptHash } from "./handlers/authentication/bcrypt-hash.ts";
import { httpBasic } from "./handlers/authentication/http-basic.ts";
import { encode } from "./handlers/encode/encode.ts";
import { error } from "./handlers/error.ts";
import { fileServer } from "./handlers/file-server/file-server.ts";
import { headers } from "./handlers/headers.ts";
import { intercept } from "./handlers/intercept/intercept.ts";
import { invoke } from "./handlers/invoke.ts";
import { map } from "./handlers/map.ts";
import { push } from "./handlers/push.ts";
import { requestBody } from "./handlers/request-body.ts";
import { reverseProxy } from "./handlers/reverse-proxy/reverse-proxy.ts";
import { rewrite } from "./handlers/rewrite/rewrite.ts";
import { staticResponse } from "./handlers/static-response.ts";
import { subroute } from "./handlers/subroute.ts";
import { timeouts } from "./handlers/timeouts.ts";
import { tracing } from "./handlers/tracing/tracing.ts";
import { vars } from "./handlers/vars.ts";
import { clientIpMatcher } from "./matchers/client-ip.ts";
import { expressionMatcher } from "./matchers/expression/expression.ts";
import { fileMatcher } from "./matchers/file.ts";
import { headerMatcher } from "./matchers/header.ts";
import { headerRegexpMatcher } from "./matchers/header-regexp.ts";
import { hostMatcher } from "./matchers/host.ts";
import { methodMatcher } from "./matchers/method.ts";
import { notMatcher } from "./matchers/not.ts";
import { pathMatcher } from "./matchers/path.ts";
import { pathRegexpMatcher } from "./matchers/path-regexp.ts";
import { protocolMatcher } from "./matchers/protocol.ts";
import { queryMatcher } from "./matchers/query.ts";
import { remoteIpMatcher } from "./matchers/remote-ip.ts";
import { tlsMatcher } from "./matchers/tls.ts";
import { urlPatternMatcher } from "./matchers/url-pattern.ts";
import { varsMatcher } from "./matchers/vars.ts";
import { varsRegexpMatcher } from "./matchers/vars-regexp.ts";
import { randomPolicy } from "./policies/random.ts";
import { roundRobinPolicy } from "./policies/round-robin.ts";

/** Every module of the server: the one list. */
export const standardModules: readonly ModuleDefinition[] = [
  httpApp,
  clientIpMatcher,
  expressionMatcher,
  fileMatcher,
  headerMatcher,
  headerRegexpMatcher,
  hostMatcher,
  methodMatcher,
  notMatcher,
  pathMatcher,
  pathRegexpMatcher,
  protocolMatcher,
  queryMatcher,
  remoteIpMatcher,
  tlsMatcher,
  urlPatternMatcher,
  varsMatcher,
  varsRegexpMatcher,
  brotliEncoder,
  gzipEncoder,
  zstdEncoder,
  argon2idHash,
  bcryptHash,
  httpBasic,
  authentication,
  encode,
  error,
  fileServer,
  headers,
  intercept,
  invoke,
  map,
  push,
  requestBody,
  reverseProxy,
  rewrite,
  staticResponse,
  subroute,
  timeouts,
  tracing,
  vars,
  randomPolicy,
  roundRobinPolicy,
  metricsRoute,
  reverseProxyUpstreams,
];
