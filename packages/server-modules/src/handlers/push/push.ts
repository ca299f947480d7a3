import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { getHeader, getHeaders, type HeaderList } from "http-engine/header-list";
import { compileHeaderOperations, headerOperationsShape } from "http-engine/header-operations";
import { compileHeaderTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { preloadTargets } from "./preload-links.ts";

/**
 * Header field of pushed requests. A request with this field pushes nothing, even behind a proxy. Source: Caddy
 */
const marker = "Caddy-Push";
/** Request variable that is set when a push handler already processes the `Link` fields of the response. */
const looksAtLinks = "http.handlers.push.pushed_link";
/** Fields that a pushed request copies from the original request. Source: Caddy 2.11 */
const handedOn = ["Accept-Encoding", "Accept-Language", "Accept", "Cache-Control", "User-Agent"];

/** Builds the fields of a pushed request: copies of the page request's fields on which responses depend. */
function pushedFields(exchange: Exchange): HeaderList {
  const fields: HeaderList = [marker, "1"];
  for (const name of handedOn) {
    for (const value of getHeaders(exchange.requestHeaders, name)) {
      fields.push(name, value);
    }
  }
  return fields;
}

/** Writes a character of a path as `%XX`. */
function escapeByte(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** @returns escaped path and query; "" for a different origin, which is never pushed */
function pathOf(exchange: Exchange, target: string): string {
  const origin = `${exchange.scheme}://${exchange.stream.authority}`;
  const path = target.startsWith(`${origin}/`) ? target.slice(origin.length) : target;
  // `//host/` belongs to a different origin too, although it looks like a path.
  return path.startsWith("//") ? "" : path.replace(/#.*$/s, "").replace(/[^!-~]/g, escapeByte);
}

/**
 * HTTP/2 server push: sends resources of a page together with the page. Browsers have disabled server push (Chrome 106,
 * Firefox 132), so the handler serves other clients. For browsers use early hints (`static_response` with 103). Source:
 * Caddy 2.11; RFC 9113, section 8.4
 */
export const push = defineModule({
  id: "http.handlers.push",
  config: z.strictObject({
    resources: z
      .array(
        z.strictObject({
          method: z.string().nullish().describe("Method of the pushed request, GET or HEAD (GET)."),
          target: z.string().nullish().describe("Path and query of the resource; placeholders allowed."),
        }),
      )
      .nullish()
      .describe("What is pushed, besides what `Link` fields of the response preload."),
    headers: z
      .strictObject(headerOperationsShape)
      .nullish()
      .describe("Changes of the pushed requests' headers."),
  }),
  provision(config): HttpHandler {
    const resources = (config.resources ?? []).map(({ method, target }) => ({
      method: method || "GET",
      target: compileHeaderTemplate(target ?? ""),
    }));
    const change = config.headers ? compileHeaderOperations(config.headers) : undefined;
    return {
      inRehearsal: "changes the answer",
      handle(exchange, next) {
        const { stream } = exchange;
        if (stream.takesPushes !== true || getHeader(exchange.requestHeaders, marker) !== undefined) {
          return next(exchange);
        }
        const fields = pushedFields(exchange);
        change?.(fields, exchange);
        const pushed = new Set<string>();
        const pushOnce = (method: string, target: string) => {
          const path = pathOf(exchange, target);
          if (!pushed.has(path) && stream.push?.(method, path, fields)) {
            pushed.add(path);
          }
        };
        for (const { method, target } of resources) {
          pushOnce(method, target(exchange));
        }
        if (!exchange.vars.has(looksAtLinks)) {
          exchange.vars.set(looksAtLinks, true);
          exchange.beforeHead((headers) => {
            for (const value of getHeaders(headers, "link")) {
              for (const target of preloadTargets(value)) {
                pushOnce("GET", target);
              }
            }
          });
        }
        return next(exchange);
      },
    };
  },
});
