import { abort } from "./abort.ts";
import { acmeServer } from "./acme-server.ts";
import { basicAuth } from "./basic-auth.ts";
import { bind } from "./bind.ts";
import { cache } from "./cache.ts";
import { copyResponse } from "./copy-response.ts";
import { copyResponseHeaders } from "./copy-response-headers.ts";
import type { Directive, DirectiveTable } from "./directive.ts";
import { encode } from "./encode.ts";
import { error } from "./error.ts";
import { fileServer } from "./file-server.ts";
import { forwardAuth } from "./forward-auth.ts";
import { fs } from "./fs.ts";
import { handle } from "./handle.ts";
import { handleErrors } from "./handle-errors.ts";
import { handlePath } from "./handle-path.ts";
import { header } from "./header.ts";
import { intercept } from "./intercept.ts";
import { invoke } from "./invoke.ts";
import { log } from "./log.ts";
import { logAppend } from "./log-append.ts";
import { logLevel } from "./log-level.ts";
import { logName } from "./log-name.ts";
import { logSkip } from "./log-skip.ts";
import { map } from "./map.ts";
import { method } from "./method.ts";
import { metrics } from "./metrics.ts";
import { oidc } from "./oidc.ts";
import { phpFastcgi } from "./php-fastcgi.ts";
import { push } from "./push.ts";
import { rateLimit } from "./rate-limit.ts";
import { redir } from "./redir.ts";
import { requestBody } from "./request-body.ts";
import { requestHeader } from "./request-header.ts";
import { respond } from "./respond.ts";
import { reverseProxy } from "./reverse-proxy.ts";
import { rewrite } from "./rewrite.ts";
import { root } from "./root.ts";
import { route } from "./route.ts";
import { templates } from "./templates.ts";
import { timeouts } from "./timeouts.ts";
import { tls } from "./tls.ts";
import { tracing } from "./tracing.ts";
import { tryFiles } from "./try-files.ts";
import { uri } from "./uri.ts";
import { vars } from "./vars.ts";

/** Handlers in the order in which they run, whatever the order of the text: the one list. */
const handlers: readonly (readonly [string, Directive])[] = [
  ["tracing", tracing],
  ["map", map],
  ["vars", vars],
  ["fs", fs],
  ["root", root],
  ["log_append", logAppend],
  ["skip_log", logSkip],
  ["log_skip", logSkip],
  ["log_name", logName],
  ["log_level", logLevel],
  ["header", header],
  ["copy_response_headers", copyResponseHeaders],
  ["request_body", requestBody],
  ["timeouts", timeouts],
  ["redir", redir],
  ["rate_limit", rateLimit],
  ["method", method],
  ["rewrite", rewrite],
  ["uri", uri],
  ["try_files", tryFiles],
  ["basicauth", basicAuth],
  ["basic_auth", basicAuth],
  ["oidc", oidc],
  ["forward_auth", forwardAuth],
  ["request_header", requestHeader],
  ["encode", encode],
  ["cache", cache],
  ["push", push],
  ["intercept", intercept],
  ["templates", templates],
  ["invoke", invoke],
  ["handle", handle],
  ["handle_path", handlePath],
  ["route", route],
  ["abort", abort],
  ["error", error],
  ["copy_response", copyResponse],
  ["respond", respond],
  ["metrics", metrics],
  ["reverse_proxy", reverseProxy],
  ["php_fastcgi", phpFastcgi],
  ["file_server", fileServer],
  ["acme_server", acmeServer],
];

/** Names of handlers in the order in which they run; the option `order` changes it. */
export const defaultOrder: readonly string[] = handlers.map(([name]) => name);

/** Every directive by its name. */
export const standardDirectives: DirectiveTable = new Map<string, Directive>([
  ...handlers,
  ["bind", bind],
  ["handle_errors", handleErrors],
  ["log", log],
  ["tls", tls],
]);
