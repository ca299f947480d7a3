import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { askJson } from "./ask-server.ts";
import { jsonValue } from "./json-value.ts";

/** A place in the config; null for a route that the server added by itself. */
const at = z.nullable(z.string());

const handlerOnWay = z.object({
  at,
  name: z.string(),
  effect: z.string(),
});

const way = z.object({
  server: z.nullable(z.string()),
  listeners: z.array(z.object({ address: z.string(), tls: z.boolean() })),
  routes: z.array(
    z.object({
      at,
      handlers: z.array(handlerOnWay),
      after: z.optional(z.object({ method: z.string(), host: z.string(), uri: z.string() })),
    }),
  ),
  passed: z.array(z.object({ at, refused_by: z.array(z.string()) })),
  passed_count: z.number(),
  failure: z.nullable(z.object({ status: z.number(), message: z.string() })),
  answered_by: z.nullable(z.object({ at, name: z.string(), config: z.nullable(jsonValue) })),
  may_answer_before: z.array(z.object({ at, name: z.string() })),
  status: z.nullable(z.number()),
  headers: z.record(z.string(), z.array(z.string())),
});

/** The way of a request through the routes of the running config, and its end. Nobody was asked. */
export type RequestWay = z.infer<typeof way>;
export type RouteOnWay = RequestWay["routes"][number];
export type HandlerOnWay = z.infer<typeof handlerOnWay>;

/** A request that is not sent. */
export interface TriedRequest {
  method: string;
  url: string;
  /** Each `Name: value`. */
  headers: readonly string[];
  /** Address that the client would have; undefined: this machine's. */
  client: string | undefined;
}

/** Begins the keys of all that depends on the running config here. */
export const wayKey = ["way"];

/** The question what would become of a request. */
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
