import { identityApp } from "../admin/identity/identity-app.ts";
import type { ModuleDefinition } from "../core/modules/module.ts";
import { httpApp } from "../http/http-app.ts";
import { sessionsApp } from "../sessions/sessions-app.ts";
import { tlsModules } from "../tls/tls-modules.ts";
import { listenersRoute } from "./admin-routes/listeners.ts";
import { metricsRoute } from "./admin-routes/metrics.ts";
import { responseCacheRoute } from "./admin-routes/response-cache.ts";
import { reverseProxyUpstreams } from "./admin-routes/reverse-proxy-upstreams.ts";
import { brotliEncoder } from "./encoders/brotli.ts";
import { gzipEncoder } from "./encoders/gzip.ts";
import { zstdEncoder } from "./encoders/zstd.ts";
import { acmeServer } from "./handlers/acme-server.ts";
import { argon2idHash } from "./handlers/authentication/argon2id-hash.ts";
import { authentication } from "./handlers/authentication/authentication.ts";
import { bcryptHash } from "./handlers/authentication/bcrypt-hash.ts";
import { httpBasic } from "./handlers/authentication/http-basic.ts";
import { cache } from "./handlers/cache/cache.ts";
import { encode } from "./handlers/encode/encode.ts";
import { error } from "./handlers/error.ts";
import { fileServer } from "./handlers/file-server/file-server.ts";
import { headers } from "./handlers/headers.ts";
import { intercept } from "./handlers/intercept/intercept.ts";
import { invoke } from "./handlers/invoke.ts";
import { logAppend } from "./handlers/log-append.ts";
import { map } from "./handlers/map.ts";
import { metrics } from "./handlers/metrics.ts";
import { oidc } from "./handlers/oidc/oidc.ts";
import { push } from "./handlers/push.ts";
import { rateLimit } from "./handlers/rate-limit/rate-limit.ts";
import { requestBody } from "./handlers/request-body.ts";
import { proxyModules } from "./handlers/reverse-proxy/proxy-modules.ts";
import { rewrite } from "./handlers/rewrite/rewrite.ts";
import { staticResponse } from "./handlers/static-response.ts";
import { subroute } from "./handlers/subroute.ts";
import { templates } from "./handlers/templates/templates.ts";
import { timeouts } from "./handlers/timeouts.ts";
import { tracing } from "./handlers/tracing/tracing.ts";
import { vars } from "./handlers/vars.ts";
import { staticIpSource } from "./ip-sources/static.ts";
import { appendEncoder } from "./logging/encoders/append.ts";
import { consoleEncoder } from "./logging/encoders/console.ts";
import { filterEncoder } from "./logging/encoders/filter.ts";
import { journaldEncoder } from "./logging/encoders/journald.ts";
import { jsonEncoder } from "./logging/encoders/json.ts";
import { cookieFilter } from "./logging/filters/cookie.ts";
import { deleteFilter } from "./logging/filters/delete.ts";
import { hashFilter } from "./logging/filters/hash.ts";
import { ipMaskFilter } from "./logging/filters/ip-mask.ts";
import { multiRegexpFilter } from "./logging/filters/multi-regexp.ts";
import { queryFilter } from "./logging/filters/query.ts";
import { regexpFilter } from "./logging/filters/regexp.ts";
import { renameFilter } from "./logging/filters/rename.ts";
import { replaceFilter } from "./logging/filters/replace.ts";
import { setCookieFilter } from "./logging/filters/set-cookie.ts";
import { loggingApp } from "./logging/logging.ts";
import { discardWriter } from "./logging/writers/discard.ts";
import { fileWriter } from "./logging/writers/file.ts";
import { netWriter } from "./logging/writers/net.ts";
import { stderrWriter, stdoutWriter } from "./logging/writers/standard-streams.ts";
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

/** Every module of the server: the one list. */
export const standardModules: readonly ModuleDefinition[] = [
  ...tlsModules,
  sessionsApp,
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
  staticIpSource,
  loggingApp,
  identityApp,
  appendEncoder,
  consoleEncoder,
  filterEncoder,
  journaldEncoder,
  jsonEncoder,
  cookieFilter,
  deleteFilter,
  hashFilter,
  ipMaskFilter,
  multiRegexpFilter,
  queryFilter,
  regexpFilter,
  renameFilter,
  replaceFilter,
  setCookieFilter,
  discardWriter,
  fileWriter,
  netWriter,
  stderrWriter,
  stdoutWriter,
  brotliEncoder,
  gzipEncoder,
  zstdEncoder,
  acmeServer,
  argon2idHash,
  bcryptHash,
  httpBasic,
  authentication,
  cache,
  encode,
  error,
  fileServer,
  headers,
  intercept,
  invoke,
  logAppend,
  map,
  metrics,
  oidc,
  push,
  rateLimit,
  requestBody,
  ...proxyModules,
  rewrite,
  staticResponse,
  subroute,
  templates,
  timeouts,
  tracing,
  vars,
  metricsRoute,
  listenersRoute,
  reverseProxyUpstreams,
  responseCacheRoute,
];
