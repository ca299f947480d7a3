import { Exchange } from "http-engine/exchange";
import { type HttpMatcher, httpMatchers } from "http-engine/handler";
import { getHeader } from "http-engine/header-list";
import { matchersInOrder } from "http-engine/matcher-order";
import { RequestMemo } from "http-engine/request-memo";
import { HeadScanner } from "http-protocols/http1/head-scanner";
import { Http1Error } from "http-protocols/http1/http1-error";
import type { JsonValue } from "server-core/json/json-value";
import { moduleMap } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { type Connection, maxMatchingBytes } from "../connection/connection.ts";
import type { Matcher } from "../routes/handler.ts";
import { readHttp2Request } from "./http2-request.ts";
import { type FirstRequest, PeekedStream } from "./peeked-stream.ts";

/**
 * Reads the first request: the head of HTTP/1, or the first headers of HTTP/2.
 * @returns undefined while the request is incomplete, "none" for another protocol
 */
function readRequest(bytes: Buffer): FirstRequest | "none" | undefined {
  try {
    const head = new HeadScanner().scan(bytes, maxMatchingBytes);
    if (head === undefined) {
      return undefined;
    }
    if (head === "preface") {
      return readHttp2Request(bytes);
    }
    const { method, target, version, fields } = head;
    const { headers } = fields;
    return { method, target, version, headers, authority: getHeader(headers, "host") ?? "" };
  } catch (error) {
    if (error instanceof Http1Error) {
      return "none";
    }
    throw error;
  }
}

/** Parsed requests by buffer: more bytes come as a new buffer. */
const exchanges = new WeakMap<Buffer, Exchange | "none" | "more">();

/** The first request in the form of HTTP matchers. Several routes use it, so it is cached. */
function exchangeOf(connection: Connection): Exchange | "none" | "more" {
  const { bytes } = connection;
  let exchange = exchanges.get(bytes);
  if (exchange === undefined) {
    const request = readRequest(bytes);
    exchange =
      request === undefined ? "more" : request === "none" ? "none" : makeExchange(request, connection);
    exchanges.set(bytes, exchange);
  }
  return exchange;
}

/** Creates the exchange for matchers. It cannot send a response. */
function makeExchange(request: FirstRequest, connection: Connection): Exchange | "none" {
  try {
    const server = { product: "server", requestMemo: new RequestMemo() };
    return new Exchange(server, new PeekedStream(request, connection));
  } catch {
    return "none"; // invalid target or Host
  }
}

/**
 * HTTP, by its first request: HTTP/1, and HTTP/2 that begins with its preface. The matcher waits until the whole head
 * is received, up to `maxMatchingBytes`; a malformed head does not match. A complete head sets `{l4.http.host}`.
 * Source: caddy-l4, `layer4.matchers.http`
 */
export const httpMatcher = defineModule({
  id: "layer4.matchers.http",
  config: z
    .array(moduleMap("http.matchers"))
    .describe("Sets of matchers of requests; all of a set and one of the sets must match (any HTTP)."),
  async provision(config, context): Promise<Matcher> {
    const sets: HttpMatcher[][] = [];
    for (const [position, modules] of config.entries()) {
      const set: HttpMatcher[] = [];
      for (const name of matchersInOrder(modules)) {
        set.push(await context.load(httpMatchers, name, modules[name] as JsonValue, `${position}/${name}`));
      }
      sets.push(set);
    }
    return {
      matches(connection) {
        const exchange = exchangeOf(connection);
        if (exchange === "more" || exchange === "none") {
          return exchange === "more" ? undefined : false;
        }
        connection.setValue("l4.http.host", exchange.hostport);
        return sets.length === 0 || sets.some((set) => set.every((each) => each.matches(exchange)));
      },
    };
  },
});
