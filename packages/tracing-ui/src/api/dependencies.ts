import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { envelope } from "./envelope.ts";
import { readJson } from "./read-json.ts";

const links = envelope(
  z.nullable(z.array(z.object({ parent: z.string(), child: z.string(), callCount: z.number() }))),
);

/** One service calls another. */
export interface Dependency {
  parent: string;
  child: string;
  calls: number;
}

/** Which service calls which, most calls first. Calls within a service are left out. */
export function dependenciesQuery(endMs: number, lookbackMs: number) {
  return queryOptions({
    queryKey: ["dependencies", endMs, lookbackMs],
    queryFn: async ({ signal }): Promise<readonly Dependency[]> => {
      const { data } = await readJson(
        `api/dependencies?endTs=${endMs}&lookback=${lookbackMs}`,
        links,
        signal,
      );
      return (data ?? [])
        .filter(({ parent, child }) => parent !== child)
        .map(({ parent, child, callCount }) => ({ parent, child, calls: callCount }))
        .sort((a, b) => b.calls - a.calls);
    },
    staleTime: 60_000,
  });
}

const instant = z.object({
  series: z.nullish(
    z.array(
      z.object({
        labels: z.array(
          z.object({ key: z.string(), value: z.looseObject({ stringValue: z.optional(z.string()) }) }),
        ),
        value: z.optional(z.number()),
      }),
    ),
  ),
});

/** How calls between a service and a neighbour went, seen by who answers. */
export interface EdgeFacts {
  calls: number;
  errors: number;
  /** Microseconds. */
  p95: number | undefined;
}

/**
 * Calls between one service and its neighbours.
 * @param side `callers`: of the service, by those who call it; `callees`: by those that it calls
 */
export function edgeFactsQuery(
  service: string,
  side: "callers" | "callees",
  endMs: number,
  lookbackMs: number,
) {
  return queryOptions({
    queryKey: ["edge-facts", service, side, endMs, lookbackMs],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, EdgeFacts>> => {
      const name = JSON.stringify(service);
      const self = `{ resource.service.name = ${name} }`;
      // Callers are known by their own spans, which wait for the answer; callees by the spans that answer.
      const other = (more: string) => `{ resource.service.name != ${name}${more} }`;
      const relation = side === "callers" ? "<" : ">";
      const ask = async (more: string, stage: string) => {
        const parameters = new URLSearchParams({
          q: `${self} ${relation} ${other(more)} | ${stage} by(resource.service.name)`,
          start: String(Math.floor((endMs - lookbackMs) / 1_000)),
          end: String(Math.floor(endMs / 1_000)),
        });
        const { series } = await readJson(`tempo/api/metrics/query?${parameters}`, instant, signal);
        return new Map(
          (series ?? []).map(({ labels, value }) => [
            labels.find(({ key }) => key === "resource.service.name")?.value.stringValue ?? "",
            value ?? 0,
          ]),
        );
      };
      const [calls, errors, p95] = await Promise.all([
        ask("", "count_over_time()"),
        ask(" && status = error", "count_over_time()"),
        ask("", "quantile_over_time(duration, .95)"),
      ]);
      return new Map(
        [...calls].map(([neighbour, count]) => {
          const seconds = p95.get(neighbour);
          return [
            neighbour,
            {
              calls: count,
              errors: errors.get(neighbour) ?? 0,
              p95: seconds === undefined ? undefined : seconds * 1e6,
            },
          ];
        }),
      );
    },
    staleTime: 60_000,
  });
}
