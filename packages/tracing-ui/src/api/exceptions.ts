import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";

/**
 * The answer of `GET /exceptions`. A point of `curve` is `[step, count]`; step n begins at `start + n * step`.
 */
const answer = z.object({
  total: z.number(),
  /** Number of exceptions in all groups. */
  exceptions: z.number(),
  /** True when there are more messages than the server groups; then only the most frequent ones are counted. */
  truncated: z.boolean(),
  ...{ start: z.number(), step: z.number(), steps: z.number() },
  groups: z.array(
    z.object({
      ...{ type: z.string(), template: z.string(), count: z.number() },
      /** Services with the exception, the most frequent first. */
      services: z.array(z.object({ name: z.string(), count: z.number() })),
      ...{ first: z.number(), last: z.number() },
      curve: z.array(z.tuple([z.number(), z.number()])),
      /** Spans with the exception, the newest first. */
      examples: z.array(z.object({ traceID: z.string(), spanID: z.string(), time: z.number() })),
    }),
  ),
});

/** A page of exceptions, grouped by type and message template. Times are in microseconds since 1970. */
export type Exceptions = z.infer<typeof answer>;
/** Exceptions of one type whose messages differ only in numbers and names. */
export type ExceptionGroup = Exceptions["groups"][number];

/** Number of groups per page. */
export const exceptionsPerPage = 50;

/** The requested page of exceptions. */
export interface ExceptionsAsked {
  /** Service with the exceptions; undefined for all. */
  service: string | undefined;
  /** Part of the type or the message; "" for all. */
  contains: string;
  /** Sort order: `count`, `last` or `first`. The server sorts before it selects the page. */
  order: string;
  /** Page number, from 1. */
  page: number;
  /** Milliseconds of the time range, which ends now. */
  lookbackMs: number;
}

/**
 * Exceptions, which the server groups, filters, sorts and pages. @throws ApiError with status 501 when the store has no
 * TraceQL
 */
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
