import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { chunksOfNames, type RateRow, type Rates, ratesQuery } from "../../api/rates.ts";

/** Rates of some services. */
export interface NodeRates {
  /** Rates by service; undefined until loaded, and after a failure. */
  data: ReadonlyMap<string, RateRow> | undefined;
  /** Error of the requests; null without an error. */
  error: Error | null;
  /** Requests all rates again. */
  refetch: () => void;
}

/** Loads rates for the services of a graph, in as many requests as their names need. */
export function useNodeRates(
  services: readonly string[],
  { endMs, lookbackMs }: { endMs: number; lookbackMs: number },
): NodeRates {
  const chunks = useMemo(() => chunksOfNames(services), [services]);
  const combine = useCallback(
    (
      results: readonly { data?: Rates | undefined; error: Error | null; refetch: () => unknown }[],
    ): NodeRates => {
      const error = results.find((result) => result.error !== null)?.error ?? null;
      const isKnown = error === null && results.every(({ data }) => data !== undefined);
      const rows = results.flatMap(({ data }) => data?.rows ?? []);
      return {
        data: isKnown ? new Map(rows.map((row) => [row.service, row])) : undefined,
        error,
        refetch: () => {
          for (const result of results) {
            void result.refetch();
          }
        },
      };
    },
    [],
  );
  return useQueries({
    queries: chunks.map((names) => ratesQuery({ names, endMs, lookbackMs, kinds: "served" })),
    combine,
  });
}
