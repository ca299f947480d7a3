import { tlsModules } from "certificates/tls/tls-modules";
import { httpApp } from "http-engine/http-app";
import { appendEncoder } from "server-core/logging/encoders/append";
import { consoleEncoder } from "server-core/logging/encoders/console";
import { filterEncoder } from "server-core/logging/encoders/filter";
import { journaldEncoder } from "server-core/logging/encoders/journald";
import { jsonEncoder } from "server-core/logging/encoders/json";
import { formattedEncoder, transformEncoder } from "server-core/logging/encoders/transform";
import { cookieFilter } from "server-core/logging/filters/cookie";
import { deleteFilter } from "server-core/logging/filters/delete";
import { hashFilter } from "server-core/logging/filters/hash";
import { ipMaskFilter } from "server-core/logging/filters/ip-mask";
import { multiRegexpFilter } from "server-core/logging/filters/multi-regexp";
import { queryFilter } from "server-core/logging/filters/query";
import { regexpFilter } from "server-core/logging/filters/regexp";
import { renameFilter } from "server-core/logging/filters/rename";
import { replaceFilter } from "server-core/logging/filters/replace";
import { setCookieFilter } from "server-core/logging/filters/set-cookie";
import { loggingApp } from "server-core/logging/logging";
import { discardWriter } from "server-core/logging/writers/discard";
import { fileWriter } from "server-core/logging/writers/file";
import { netWriter } from "server-core/logging/writers/net";
import { stderrWriter, stdoutWriter } from "server-core/logging/writers/standard-streams";
import { type ListedModule, listed } from "server-core/modules/module";
import { listenersRoute } from "./admin-routes/listeners.ts";
import { metricsRoute } from "./admin-routes/metrics.ts";
import { responseCacheRoute } from "./admin-routes/response-cache.ts";
import { reverseProxyUpstreams } from "./admin-routes/reverse-proxy-upstreams.ts";
import { dynamicDnsModules } from "./dynamic-dns/dynamic-dns-modules.ts";
import { brotliEncoder } from "./encoders/brotli.ts";
import { encoderTexts } from "./encoders/encoders-text.ts";
import { gzipEncoder } from "./encoders/gzip.ts";
import { zstdEncoder } from "./encoders/zstd.ts";
import { eventsApp } from "./events/events-app.ts";
import { execHandler } from "./events/exec-handler.ts";
import { execText } from "./events/exec-text.ts";
import { filesystemsApp } from "./file-systems/filesystems-app.ts";
import { filesystemsText } from "./file-systems/filesystems-text.ts";
import { s3FileSystem } from "./file-systems/s3/s3.ts";
import { s3Text } from "./file-systems/s3/s3-text.ts";
import { acmeServer } from "./handlers/acme-server/acme-server.ts";
import { acmeServerText } from "./handlers/acme-server/acme-server-text.ts";
import { argon2idHash } from "./handlers/authentication/argon2id-hash.ts";
import { authentication } from "./handlers/authentication/authentication.ts";
import { authenticationText } from "./handlers/authentication/authentication-text.ts";
import { bcryptHash } from "./handlers/authentication/bcrypt-hash.ts";
import { httpBasic } from "./handlers/authentication/http-basic.ts";
import { cache } from "./handlers/cache/cache.ts";
import { cacheApp } from "./handlers/cache/cache-app.ts";
import { cacheAppText, cacheText } from "./handlers/cache/cache-text.ts";
import { cgi } from "./handlers/cgi/cgi.ts";
import { cgiText } from "./handlers/cgi/cgi-text.ts";
import { encode } from "./handlers/encode/encode.ts";
import { encodeText } from "./handlers/encode/encode-text.ts";
import { error } from "./handlers/error/error.ts";
import { errorText } from "./handlers/error/error-text.ts";
import { fileServer } from "./handlers/file-server/file-server.ts";
import { fileServerText } from "./handlers/file-server/file-server-text.ts";
import { headers } from "./handlers/headers/headers.ts";
import { headersText } from "./handlers/headers/headers-text.ts";
import { intercept } from "./handlers/intercept/intercept.ts";
import { interceptText } from "./handlers/intercept/intercept-text.ts";
import { invoke } from "./handlers/invoke/invoke.ts";
import { invokeText } from "./handlers/invoke/invoke-text.ts";
import { logAppend } from "./handlers/log-append/log-append.ts";
import { logAppendText } from "./handlers/log-append/log-append-text.ts";
import { map } from "./handlers/map/map.ts";
import { mapText } from "./handlers/map/map-text.ts";
import { metrics } from "./handlers/metrics/metrics.ts";
import { metricsText } from "./handlers/metrics/metrics-text.ts";
import { oidc } from "./handlers/oidc/oidc.ts";
import { oidcText } from "./handlers/oidc/oidc-text.ts";
import { postauth2fa } from "./handlers/postauth2fa/postauth2fa.ts";
import { postauth2faText } from "./handlers/postauth2fa/postauth2fa-text.ts";
import { push } from "./handlers/push/push.ts";
import { pushText } from "./handlers/push/push-text.ts";
import { rateLimit } from "./handlers/rate-limit/rate-limit.ts";
import { rateLimitText } from "./handlers/rate-limit/rate-limit-text.ts";
import { replace, replaceResponse } from "./handlers/replace/replace.ts";
import { replaceText } from "./handlers/replace/replace-text.ts";
import { requestBody } from "./handlers/request-body/request-body.ts";
import { requestBodyText } from "./handlers/request-body/request-body-text.ts";
import { rewrite } from "./handlers/rewrite/rewrite.ts";
import { rewriteText } from "./handlers/rewrite/rewrite-text.ts";
import { staticResponse } from "./handlers/static-response/static-response.ts";
import { staticResponseText } from "./handlers/static-response/static-response-text.ts";
import { subroute } from "./handlers/subroute/subroute.ts";
import { templates } from "./handlers/templates/templates.ts";
import { templatesText } from "./handlers/templates/templates-text.ts";
import { timeouts } from "./handlers/timeouts/timeouts.ts";
import { timeoutsText } from "./handlers/timeouts/timeouts-text.ts";
import { tracing } from "./handlers/tracing/tracing.ts";
import { tracingText } from "./handlers/tracing/tracing-text.ts";
import { vars } from "./handlers/vars/vars.ts";
import { varsText } from "./handlers/vars/vars-text.ts";
import { webauthn } from "./handlers/webauthn/webauthn.ts";
import { webauthnText } from "./handlers/webauthn/webauthn-text.ts";
import { webdav } from "./handlers/webdav/webdav.ts";
import { webdavText } from "./handlers/webdav/webdav-text.ts";
import { combinedIpSource } from "./ip-sources/combine.ts";
import { combineText, listText, publishedText } from "./ip-sources/fetched-text.ts";
import {
  cloudflareIpSource,
  cloudfrontIpSource,
  fastlyIpSource,
  listIpSource,
} from "./ip-sources/published-sources.ts";
import { staticIpSource } from "./ip-sources/static.ts";
import { staticRangesText } from "./ip-sources/static-text.ts";
import { clientIpMatcher } from "./matchers/client-ip.ts";
import { clientIpMatcherText } from "./matchers/client-ip-text.ts";
import { expressionMatcher } from "./matchers/expression/expression.ts";
import { expressionMatcherText } from "./matchers/expression/expression-text.ts";
import { fileMatcher } from "./matchers/file.ts";
import { fileMatcherText } from "./matchers/file-text.ts";
import { headerMatcher } from "./matchers/header.ts";
import { headerRegexpMatcher } from "./matchers/header-regexp.ts";
import { headerRegexpMatcherText } from "./matchers/header-regexp-text.ts";
import { headerMatcherText } from "./matchers/header-text.ts";
import { hostMatcher } from "./matchers/host.ts";
import { hostMatcherText } from "./matchers/host-text.ts";
import { methodMatcher } from "./matchers/method.ts";
import { methodMatcherText } from "./matchers/method-text.ts";
import { notMatcher } from "./matchers/not.ts";
import { notMatcherText } from "./matchers/not-text.ts";
import { pathMatcher } from "./matchers/path.ts";
import { pathRegexpMatcher } from "./matchers/path-regexp.ts";
import { pathRegexpMatcherText } from "./matchers/path-regexp-text.ts";
import { pathMatcherText } from "./matchers/path-text.ts";
import { protocolMatcher } from "./matchers/protocol.ts";
import { protocolMatcherText } from "./matchers/protocol-text.ts";
import { queryMatcher } from "./matchers/query.ts";
import { queryMatcherText } from "./matchers/query-text.ts";
import { remoteIpMatcher } from "./matchers/remote-ip.ts";
import { remoteIpMatcherText } from "./matchers/remote-ip-text.ts";
import { tlsMatcher } from "./matchers/tls.ts";
import { tlsMatcherText } from "./matchers/tls-text.ts";
import { urlPatternMatcher } from "./matchers/url-pattern.ts";
import { urlPatternMatcherText } from "./matchers/url-pattern-text.ts";
import { varsMatcher } from "./matchers/vars.ts";
import { varsRegexpMatcher } from "./matchers/vars-regexp.ts";
import { varsRegexpMatcherText } from "./matchers/vars-regexp-text.ts";
import { varsMatcherText } from "./matchers/vars-text.ts";
import { noNetworkProxy, urlNetworkProxy } from "./network-proxies/network-proxies.ts";
import { networkProxyTexts } from "./network-proxies/network-proxies-text.ts";
import { proxyModules } from "./proxy-modules.ts";
import { sessionsApp } from "./sessions/sessions-app.ts";

/** The list of all modules, except the modules of the process, which `all-modules.ts` adds. */
export const standardModules: readonly ListedModule[] = [
  listed("events", () => eventsApp, { implied: true }),
  listed("events.handlers.exec", () => execHandler, { text: () => execText }),
  ...tlsModules,
  ...dynamicDnsModules,
  listed("cache", () => cacheApp, { text: () => cacheAppText }),
  listed("caddy.filesystems", () => filesystemsApp, { isApp: true, text: () => filesystemsText }),
  listed("caddy.fs.s3", () => s3FileSystem, { text: () => s3Text }),
  listed("sessions", () => sessionsApp, { implied: true }),
  listed("http", () => httpApp, { inWorkers: true }),
  listed("http.matchers.client_ip", () => clientIpMatcher, { text: () => clientIpMatcherText }),
  listed("http.matchers.expression", () => expressionMatcher, { text: () => expressionMatcherText }),
  listed("http.matchers.file", () => fileMatcher, { text: () => fileMatcherText }),
  listed("http.matchers.header", () => headerMatcher, { text: () => headerMatcherText }),
  listed("http.matchers.header_regexp", () => headerRegexpMatcher, { text: () => headerRegexpMatcherText }),
  listed("http.matchers.host", () => hostMatcher, { text: () => hostMatcherText }),
  listed("http.matchers.method", () => methodMatcher, { text: () => methodMatcherText }),
  listed("http.matchers.not", () => notMatcher, { text: () => notMatcherText }),
  listed("http.matchers.path", () => pathMatcher, { text: () => pathMatcherText }),
  listed("http.matchers.path_regexp", () => pathRegexpMatcher, { text: () => pathRegexpMatcherText }),
  listed("http.matchers.protocol", () => protocolMatcher, { text: () => protocolMatcherText }),
  listed("http.matchers.query", () => queryMatcher, { text: () => queryMatcherText }),
  listed("http.matchers.remote_ip", () => remoteIpMatcher, { text: () => remoteIpMatcherText }),
  listed("http.matchers.tls", () => tlsMatcher, { text: () => tlsMatcherText }),
  listed("http.matchers.url_pattern", () => urlPatternMatcher, { text: () => urlPatternMatcherText }),
  listed("http.matchers.vars", () => varsMatcher, { text: () => varsMatcherText }),
  listed("http.matchers.vars_regexp", () => varsRegexpMatcher, { text: () => varsRegexpMatcherText }),
  listed("http.ip_sources.cloudflare", () => cloudflareIpSource, { text: () => publishedText }),
  listed("http.ip_sources.cloudfront", () => cloudfrontIpSource, { text: () => publishedText }),
  listed("http.ip_sources.combine", () => combinedIpSource, { text: () => combineText }),
  listed("http.ip_sources.fastly", () => fastlyIpSource, { text: () => publishedText }),
  listed("http.ip_sources.list", () => listIpSource, { text: () => listText }),
  listed("http.ip_sources.static", () => staticIpSource, { text: () => staticRangesText }),
  listed("logging.app", () => loggingApp),
  listed("logging.encoders.append", () => appendEncoder),
  listed("logging.encoders.console", () => consoleEncoder),
  listed("logging.encoders.filter", () => filterEncoder),
  listed("logging.encoders.formatted", () => formattedEncoder),
  listed("logging.encoders.journald", () => journaldEncoder),
  listed("logging.encoders.json", () => jsonEncoder),
  listed("logging.encoders.transform", () => transformEncoder),
  listed("logging.encoders.filter.cookie", () => cookieFilter),
  listed("logging.encoders.filter.delete", () => deleteFilter),
  listed("logging.encoders.filter.hash", () => hashFilter),
  listed("logging.encoders.filter.ip_mask", () => ipMaskFilter),
  listed("logging.encoders.filter.multi_regexp", () => multiRegexpFilter),
  listed("logging.encoders.filter.query", () => queryFilter),
  listed("logging.encoders.filter.regexp", () => regexpFilter),
  listed("logging.encoders.filter.rename", () => renameFilter),
  listed("logging.encoders.filter.replace", () => replaceFilter),
  listed("logging.encoders.filter.set_cookie", () => setCookieFilter),
  listed("logging.writers.discard", () => discardWriter),
  listed("logging.writers.file", () => fileWriter),
  listed("logging.writers.net", () => netWriter),
  listed("logging.writers.stderr", () => stderrWriter),
  listed("logging.writers.stdout", () => stdoutWriter),
  listed("http.encoders.br", () => brotliEncoder, { text: () => encoderTexts.br }),
  listed("http.encoders.gzip", () => gzipEncoder, { text: () => encoderTexts.gzip }),
  listed("http.encoders.zstd", () => zstdEncoder, { text: () => encoderTexts.zstd }),
  listed("http.handlers.acme_server", () => acmeServer, { text: () => acmeServerText }),
  listed("http.authentication.hashes.argon2id", () => argon2idHash),
  listed("http.authentication.hashes.bcrypt", () => bcryptHash),
  listed("http.authentication.providers.http_basic", () => httpBasic),
  listed("http.handlers.authentication", () => authentication, {
    directives: ["basicauth", "basic_auth"],
    text: () => authenticationText,
  }),
  listed("http.handlers.cache", () => cache, { after: "encode", text: () => cacheText }),
  listed("http.handlers.cgi", () => cgi, { after: "copy_response", text: () => cgiText }),
  listed("http.handlers.encode", () => encode, { text: () => encodeText }),
  listed("http.handlers.error", () => error, { text: () => errorText }),
  listed("http.handlers.file_server", () => fileServer, { text: () => fileServerText }),
  listed("http.handlers.headers", () => headers, {
    directives: ["header", "request_header"],
    text: () => headersText,
  }),
  listed("http.handlers.intercept", () => intercept, { text: () => interceptText }),
  listed("http.handlers.invoke", () => invoke, { text: () => invokeText }),
  listed("http.handlers.log_append", () => logAppend, { text: () => logAppendText }),
  listed("http.handlers.map", () => map, { text: () => mapText }),
  listed("http.handlers.metrics", () => metrics, { text: () => metricsText }),
  listed("http.handlers.oidc", () => oidc, { after: "basic_auth", text: () => oidcText }),
  listed("http.handlers.postauth2fa", () => postauth2fa, {
    directives: ["postauth_2fa"],
    after: "oidc",
    text: () => postauth2faText,
  }),
  listed("http.handlers.push", () => push, { text: () => pushText }),
  listed("http.handlers.rate_limit", () => rateLimit, { after: "redir", text: () => rateLimitText }),
  listed("http.handlers.replace", () => replace),
  listed("http.handlers.replace_response", () => replaceResponse, {
    directives: ["replace"],
    after: "encode",
    text: () => replaceText,
  }),
  listed("http.handlers.request_body", () => requestBody, { text: () => requestBodyText }),
  ...proxyModules,
  listed("network_proxy.none", () => noNetworkProxy, { text: () => networkProxyTexts.none }),
  listed("network_proxy.url", () => urlNetworkProxy, { text: () => networkProxyTexts.url }),
  listed("http.handlers.rewrite", () => rewrite, {
    directives: ["method", "rewrite", "uri", "try_files"],
    text: () => rewriteText,
  }),
  listed("http.handlers.static_response", () => staticResponse, {
    directives: ["redir", "abort", "respond"],
    text: () => staticResponseText,
  }),
  listed("http.handlers.subroute", () => subroute),
  listed("http.handlers.templates", () => templates, { text: () => templatesText }),
  listed("http.handlers.timeouts", () => timeouts, { after: "request_body", text: () => timeoutsText }),
  listed("http.handlers.tracing", () => tracing, { text: () => tracingText }),
  listed("http.handlers.vars", () => vars, {
    directives: ["vars", "fs", "root", "skip_log", "log_skip", "log_name", "log_level"],
    after: "log_name",
    text: () => varsText,
  }),
  listed("http.handlers.webauthn", () => webauthn, { after: "postauth_2fa", text: () => webauthnText }),
  listed("http.handlers.webdav", () => webdav, { after: "php_fastcgi", text: () => webdavText }),
  listed("admin.api.metrics", () => metricsRoute),
  listed("admin.api.listeners", () => listenersRoute),
  listed("admin.api.reverse_proxy", () => reverseProxyUpstreams),
  listed("admin.api.cache", () => responseCacheRoute),
];
