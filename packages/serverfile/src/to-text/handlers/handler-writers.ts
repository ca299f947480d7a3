import type { HandlerWriter } from "../routes/handler-writer.ts";
import { fileServer } from "./file-server.ts";
import { headers } from "./headers.ts";
import { map } from "./map.ts";
import { cache, oidc, rateLimit } from "./own-handlers.ts";
import { intercept, reverseProxy } from "./reverse-proxy.ts";
import { rewrite } from "./rewrite.ts";
import {
  acmeServer,
  authentication,
  copyResponse,
  copyResponseHeaders,
  encode,
  invoke,
  logAppend,
  metrics,
  push,
  requestBody,
  templates,
  timeouts,
  tracing,
} from "./simple-handlers.ts";
import { error, staticResponse } from "./static-response.ts";
import { vars } from "./vars.ts";

/** Every handler that a directive stands for, but for `subroute`: the one list. */
export const handlerWriters: Readonly<Record<string, HandlerWriter>> = {
  acme_server: acmeServer,
  authentication,
  cache,
  copy_response: copyResponse,
  copy_response_headers: copyResponseHeaders,
  encode,
  error,
  file_server: fileServer,
  headers,
  intercept,
  invoke,
  log_append: logAppend,
  map,
  metrics,
  oidc,
  push,
  rate_limit: rateLimit,
  request_body: requestBody,
  reverse_proxy: reverseProxy,
  rewrite,
  static_response: staticResponse,
  templates,
  timeouts,
  tracing,
  vars,
};
