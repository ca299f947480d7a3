import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";
import { jsonValue } from "./json-value.ts";

/** JSON pointer to a place in the config; null for a route that the server added itself. */
const at = z.nullable(z.string());

/** A handler that the request reaches. */
const handlerOnWay = z.object({
  at,
  /** Name of the handler module: `reverse_proxy`. */
  name: z.string(),
  /** Effect of the handler: `ran`, `changes the answer`, `answers`, `fails`, `may answer` or `has routes`. */
  effect: z.string(),
});

/** The answer of `GET /http/rehearsal`. */
const way = z.object({
  /** Name of the server that receives the request; null when none listens at this address. */
  server: z.nullable(z.string()),
  /** Listen addresses of all servers, when no server receives the request. */
  listeners: z.array(z.object({ address: z.string(), tls: z.boolean() })),
  /** Matching routes, in the order of execution. */
  routes: z.array(
    z.object({
      at,
      /** Handlers of the route that run, in order. */
      handlers: z.array(handlerOnWay),
      /** The request after these handlers; absent when they did not change it. */
      after: z.optional(z.object({ method: z.string(), host: z.string(), uri: z.string() })),
    }),
  ),
  /**
   * Routes that did not match, with the matchers that refused. The server shortens a long list.
   */
  passed: z.array(z.object({ at, refused_by: z.array(z.string()) })),
  /** Number of these routes before the list was shortened. */
  passed_count: z.number(),
  /** The error of a handler; null for none. */
  failure: z.nullable(z.object({ status: z.number(), message: z.string() })),
  /** The handler that responds, with its config; null for none. */
  answered_by: z.nullable(z.object({ at, name: z.string(), config: z.nullable(jsonValue) })),
  /** Handlers that might respond earlier, such as logins and limits. Only a real request can decide this. */
  may_answer_before: z.array(z.object({ at, name: z.string() })),
  /** Status of the response; null when the config alone does not determine it. */
  status: z.nullable(z.number()),
  /** Known header fields of the response, by name. */
  headers: z.record(z.string(), z.array(z.string())),
});

/** The rehearsal of a request: its routes in the running config, and its result. No upstream is contacted. */
export type RequestWay = z.infer<typeof way>;
/** A matching route, with the handlers that run. */
export type RouteOnWay = RequestWay["routes"][number];
/** A handler that the request reaches, and its effect. */
export type HandlerOnWay = z.infer<typeof handlerOnWay>;

/** A request to rehearse; it is not sent. */
export interface TriedRequest {
  /** Method from the form: `GET`. */
  method: string;
  /** URL with scheme and host; scheme and port select the server. */
  url: string;
  /** Header fields, each as `Name: value`. */
  headers: readonly string[];
  /** Assumed address of the client; undefined for this machine. */
  client: string | undefined;
}

/**
 * Prefix of all query keys on this page that depend on the running config. "Try it" invalidates them together.
 */
export const wayKey = ["way"];

/** The query of a rehearsal. The result is deleted when no component shows it. */
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
    // The config may have changed by the next time.
    gcTime: 0,
  });
}
