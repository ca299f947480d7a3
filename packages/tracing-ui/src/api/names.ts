import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { ApiError } from "./api-error.ts";
import { envelope } from "./envelope.ts";
import { matchingNames, mostOffered } from "./matching-names.ts";
import { readJson } from "./read-json.ts";

/** The answer of `GET /names`: the number of matching names, and the best of them. */
const answer = z.object({ total: z.number(), names: z.array(z.string()) });
/** Jaeger's answer with all names. */
const wholeList = envelope(z.nullable(z.array(z.string())));

/** Matching names, the best first; at most as many as a list below a field shows. */
export type FoundNames = z.infer<typeof answer>;

/** The requested names. */
export interface NamesAsked {
  /** Service whose operations are requested; absent for services. */
  service?: string | undefined;
  /** Part of the name. */
  contains: string;
}

/** Milliseconds between requests until the first span has arrived. */
const firstSpanPollMs = 2_000;

/**
 * Names of services, or of a service's operations, that contain a text. The server searches, however many there are. A
 * server without this endpoint, such as Jaeger's, returns all names.
 */
export function namesQuery({ service, contains }: NamesAsked) {
  return queryOptions({
    queryKey: ["names", service, contains],
    queryFn: async ({ signal }): Promise<FoundNames> => {
      const parameters = new URLSearchParams({ limit: String(mostOffered) });
      if (service !== undefined) {
        parameters.set("service", service);
      }
      if (contains !== "") {
        parameters.set("contains", contains);
      }
      try {
        return await readJson(`api/analysis/v1/names?${parameters}`, answer, signal);
      } catch (error) {
        if (!(error instanceof ApiError && /^API_(NOT_FOUND|SHAPE|REFUSED)$/.test(error.code))) {
          throw error;
        }
      }
      const path = service === undefined ? "" : `/${encodeURIComponent(service)}/operations`;
      const { data } = await readJson(`api/services${path}`, wholeList, signal);
      return matchingNames((data ?? []).toSorted(), contains);
    },
    staleTime: service === undefined ? 15_000 : 60_000,
  });
}

/** The first services from a to z. Requested repeatedly until there is one. */
export const firstServicesQuery = queryOptions({
  ...namesQuery({ contains: "" }),
  refetchInterval: (query) => (query.state.data?.total === 0 ? firstSpanPollMs : false),
});
