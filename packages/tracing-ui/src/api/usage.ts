import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";

/** An estimate; null: the sample has nothing to estimate from. */
const estimate = z.nullable(z.number());

/** The answer of `GET /api/analysis/v1/usage`. Numbers of spans are counted, bytes are estimated. */
const usage = z.object({
  ...{ spans: z.number(), total: z.number(), isWhole: z.boolean() },
  /** The newest traces of the time range, from which bytes are estimated. */
  sample: z.object({ traces: z.number(), spans: z.number() }),
  /** Start of the time in which searches are counted, in milliseconds since 1970. */
  searchedSince: z.number(),
  searchesAreWhole: z.boolean(),
  services: z.array(
    z.object({ name: z.string(), spans: z.number(), estimatedBytes: estimate, searches: z.number() }),
  ),
  attributes: z.array(
    z.object({ scope: z.string(), name: z.string(), estimatedBytes: estimate, searches: z.number() }),
  ),
});

/** A page of services with their spans, and the largest attributes. */
export type Usage = z.infer<typeof usage>;

export const servicesPerPage = 50;

/** The part of the usage that a page shows. */
export interface UsageAsked {
  /** Part of the name of a service; "" for all. */
  contains: string;
  /** Milliseconds of the time range, which ends now. */
  lookbackMs: number;
  /** Page number, from 1. */
  page: number;
}

/** Usage, filtered and paged by the server. */
export function usageQuery({ contains, lookbackMs, page }: UsageAsked) {
  return queryOptions({
    queryKey: ["usage", contains, lookbackMs, page],
    queryFn: ({ signal }): Promise<Usage> => {
      const end = Date.now() * 1_000;
      const parameters = new URLSearchParams({
        ...{ start: String(end - lookbackMs * 1_000), end: String(end) },
        ...{ limit: String(servicesPerPage), offset: String((page - 1) * servicesPerPage) },
        ...(contains === "" ? {} : { contains }),
      });
      return readJson(`api/analysis/v1/usage?${parameters}`, usage, signal);
    },
    staleTime: 60_000,
  });
}
