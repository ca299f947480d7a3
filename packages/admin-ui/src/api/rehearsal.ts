import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";
import { jsonValue } from "./json-value.ts";

/** A place in the config as a JSON pointer; null for a route that the server added by itself. */
const at = z.nullable(z.string());

/** A handler that the request meets. */
const handlerOnWay = z.object({
  at,
  /** Name of the handler module: `reverse_proxy`. */
  name: z.string(),
  /** Its part: `ran`, `changes the answer`, `answers`, `fails`, `may answer` or `has routes`. */
  effect: z.string(),
});

/** The answer of `GET /http/rehearsal`. */
const way = z.object({
  /** Name of the server that takes the request; null when none listens there. */
  server: z.nullable(z.string()),
  /** Where servers listen, for the case that none takes the request. */
  listeners: z.array(z.object({ address: z.string(), tls: z.boolean() })),
  /** Routes that match, in the order of the way. */
  routes: z.array(
    z.object({
      at,
      /** Handlers of the route that run, in their order. */
      handlers: z.array(handlerOnWay),
      /** The request after these handlers; absent when they left it as it was. */
      after: z.optional(z.object({ method: z.string(), host: z.string(), uri: z.string() })),
    }),
  ),
  /**
   * Routes that were tried and did not match, each with the matchers that refused. The server cuts a long
   * list.
   */
  passed: z.array(z.object({ at, refused_by: z.array(z.string()) })),
  /** Length of that list before it was cut. */
  passed_count: z.number(),
  /** The error that a handler raises; null when none does. */
  failure: z.nullable(z.object({ status: z.number(), message: z.string() })),
  /** The handler that answers, with its config; null when none does. */
  answered_by: z.nullable(z.object({ at, name: z.string(), config: z.nullable(jsonValue) })),
  /** Handlers, such as logins and limits, of which only a real request could tell whether they answer first. */
  may_answer_before: z.array(z.object({ at, name: z.string() })),
  /** Status of the answer; null when the config alone does not decide it. */
  status: z.nullable(z.number()),
  /** Fields of the answer that are known, by name. */
  headers: z.record(z.string(), z.array(z.string())),
});

/** The way of a request through the routes of the running config, and its end. Nobody was asked. */
export type RequestWay = z.infer<typeof way>;
/** A route that matches, with the handlers that run. */
export type RouteOnWay = RequestWay["routes"][number];
/** A handler on the way and its effect. */
export type HandlerOnWay = z.infer<typeof handlerOnWay>;

/** A request that is not sent. */
export interface TriedRequest {
  /** Method, as the form has it: `GET`. */
  method: string;
  /** Address with scheme and host; scheme and port choose the server. */
  url: string;
  /** Each `Name: value`. */
  headers: readonly string[];
  /** Address that the client would have; undefined: this machine's. */
  client: string | undefined;
}

/**
 * Begins the keys of all that depends on the running config on this page. "Try it" invalidates them
 * together.
 */
export const wayKey = ["way"];

/** The query for a request's rehearsal. The answer is dropped when no component shows it. */
export function wayQuery({ method, url, headers, client }: TriedRequest) {
  const asked = new URLSearchParams({ url, method });
  for (const field of headers) {
    asked.append("header", field);
  }
  if (client !== undefined) {
    asked.set("client", client);
  }
  return queryOptions({
    queryKey: [...wayKey, asked.toString()],
    queryFn: ({ signal }) => askJson(`/http/rehearsal?${asked}`, way, { signal }),
    // The config may be another one by the next time.
    gcTime: 0,
  });
}
