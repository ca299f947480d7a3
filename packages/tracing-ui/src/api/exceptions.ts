import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";

/**
 * The answer of `GET /exceptions`. A point of `curve` is `[step, count]`; step n begins at `start + n *
 * step`.
 */
const answer = z.object({
  total: z.number(),
  /** Exceptions of all groups. */
  exceptions: z.number(),
  /** Whether there are more messages than the server groups; then only the most frequent ones count. */
  truncated: z.boolean(),
  ...{ start: z.number(), step: z.number(), steps: z.number() },
  groups: z.array(
    z.object({
      ...{ type: z.string(), template: z.string(), count: z.number() },
      /** Services that threw it, the most frequent first. */
      services: z.array(z.object({ name: z.string(), count: z.number() })),
      ...{ first: z.number(), last: z.number() },
      curve: z.array(z.tuple([z.number(), z.number()])),
      /** Spans that threw it, the newest first. */
      examples: z.array(z.object({ traceID: z.string(), spanID: z.string(), time: z.number() })),
    }),
  ),
});

/** A page of exceptions, in groups of one type and template of the message. Times are microseconds since 1970. */
export type Exceptions = z.infer<typeof answer>;
/** Exceptions of one type whose messages differ in numbers and names alone. */
export type ExceptionGroup = Exceptions["groups"][number];

/** Groups on a page. */
export const exceptionsPerPage = 50;

/** The question for a page of exceptions; `page` from 1. */
export interface ExceptionsAsked {
  /** Services that threw it; all without it. */
  service: string | undefined;
  /** Part of the type or of the message; "" for all. */
  contains: string;
  /** `count`, `last` or `first`; the server sorts before it cuts the page. */
  order: string;
  /** The page, from 1. */
  page: number;
  /** Length of the time up to now, in milliseconds. */
  lookbackMs: number;
}

/** Exceptions, grouped, filtered, ranked and paged by the server. @throws ApiError with status 501 when its store has no TraceQL */
export function exceptionsQuery(asked: ExceptionsAsked) {
  return queryOptions({
    queryKey: ["exceptions", asked],
    queryFn: ({ signal }): Promise<Exceptions> => {
      const { service, contains, order, page, lookbackMs } = asked;
      const endMs = Date.now();
      const parameters = new URLSearchParams({
        ...{ order, start: String((endMs - lookbackMs) * 1_000), end: String(endMs * 1_000) },
        ...{ limit: String(exceptionsPerPage), offset: String((page - 1) * exceptionsPerPage) },
        ...(contains === "" ? {} : { contains }),
        ...(service === undefined ? {} : { service }),
      });
      return readJson(`api/analysis/v1/exceptions?${parameters}`, answer, signal);
    },
    staleTime: 30_000,
  });
}
