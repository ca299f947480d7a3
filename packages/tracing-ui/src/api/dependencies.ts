import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { readJson } from "./read-json.ts";

const base = "api/analysis/v1/dependencies";

/** Calls from one service to another. */
export interface Dependency {
  /** Name of the calling service. */
  parent: string;
  /** Name of the called service. */
  child: string;
  /** Number of calls within the time range. */
  calls: number;
}

/** The answer of `GET /dependencies`. */
const list = z.object({
  total: z.number(),
  services: z.number(),
  links: z.array(z.object({ parent: z.string(), child: z.string(), calls: z.number() })),
});

/** A page of calls between services. */
export interface DependencyPage {
  /** Number of links on all pages. */
  total: number;
  /** Number of services in the time range. */
  services: number;
  /** Links of this page, in the requested order. */
  links: readonly Dependency[];
}

export const dependenciesPerPage = 100;

/** A page of calls between services. */
export function dependencyListQuery(asked: {
  /** End of the range, milliseconds since 1970. */
  endMs: number;
  /** Milliseconds of the range. */
  lookbackMs: number;
  /** Part of a calling or called service's name; "" for all. */
  contains: string;
  /** Order: most calls first, or names from a to z. */
  order: "calls" | "parent" | "child";
  /** Page number, from 1. */
  page: number;
}) {
  return queryOptions({
    queryKey: ["dependency-list", asked],
    queryFn: ({ signal }): Promise<DependencyPage> => {
      const parameters = timeParameters(asked);
      if (asked.contains !== "") {
        parameters.set("contains", asked.contains);
      }
      parameters.set("order", asked.order);
      parameters.set("limit", String(dependenciesPerPage));
      parameters.set("offset", String((asked.page - 1) * dependenciesPerPage));
      return readJson(`${base}?${parameters}`, list, signal);
    },
    staleTime: 60_000,
  });
}

/** Number of services and links of a graph. */
const size = z.object({ services: z.number(), links: z.number() });
/**
 * The answer of `GET /dependencies/graph`. Nodes of several services are groups. Links are `[parent, child, calls]`
 * with node indexes.
 */
const graph = z.object({
  ...{ all: size, chosen: size, linksLeftOut: z.number() },
  nodes: z.array(z.object({ name: z.string(), services: z.number() })),
  links: z.array(z.tuple([z.number(), z.number(), z.number()])),
});

/**
 * Calls between services, few enough to draw. If there are too many services, those with a common prefix are grouped.
 */
export interface DependencyGraph {
  /** Services and links of the graph for the whole time range. */
  all: { services: number; links: number };
  /** Services and links of the requested part, before grouping. */
  chosen: { services: number; links: number };
  /** Number of services by group name. A group name is the common prefix and `groupSign`. */
  groups: ReadonlyMap<string, number>;
  /** Calls between services, most frequent first. */
  dependencies: readonly Dependency[];
  /** Number of omitted links with fewer calls. */
  linksLeftOut: number;
}

/**
 * Suffix after the common prefix in a group's name: `payment-…`. A click removes the suffix to request the group.
 */
export const groupSign = "…";

/** The graph of a service's neighborhood, of a group, or of all services. */
export function dependencyGraphQuery(asked: {
  endMs: number;
  lookbackMs: number;
  /** The service in the middle; absent for all services. */
  focus?: string | undefined;
  /** Number of calls between the focus and the farthest shown service. */
  hops: number;
  /** Prefix of a group; only its services and their neighbors are shown. */
  within?: string | undefined;
}) {
  return queryOptions({
    queryKey: ["dependency-graph", asked],
    queryFn: async ({ signal }): Promise<DependencyGraph> => {
      const parameters = timeParameters(asked);
      if (asked.focus !== undefined) {
        parameters.set("focus", asked.focus);
      }
      if (asked.within !== undefined) {
        parameters.set("within", asked.within);
      }
      parameters.set("hops", String(asked.hops));
      const { nodes, links, ...rest } = await readJson(`${base}/graph?${parameters}`, graph, signal);
      const nameOf = (index: number) => {
        const node = nodes[index];
        return node === undefined ? "" : node.services > 1 ? node.name + groupSign : node.name;
      };
      const groups = new Map(
        nodes.flatMap(({ services }, index) => (services > 1 ? [[nameOf(index), services] as const] : [])),
      );
      const dependencies = links.map(([parent, child, calls]) => ({
        ...{ parent: nameOf(parent), child: nameOf(child), calls },
      }));
      return { ...rest, groups, dependencies };
    },
    staleTime: 60_000,
  });
}

/** The parameters `start` and `end`, in microseconds since 1970. */
function timeParameters({ endMs, lookbackMs }: { endMs: number; lookbackMs: number }): URLSearchParams {
  return new URLSearchParams({
    start: String((endMs - lookbackMs) * 1_000),
    end: String(endMs * 1_000),
  });
}

/** The answer of an instant TraceQL metrics query: a value for each set of labels. */
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

/** Figures of the calls between a service and a neighbour. */
export interface EdgeFacts {
  calls: number;
  /** Number of failed calls. */
  errors: number;
  /** 95th percentile of the durations in microseconds; undefined when unknown. */
  p95: number | undefined;
}

/**
 * Figures of the calls between one service and its neighbors, by neighbor. Sends three TraceQL metrics queries: for
 * calls, for failures, and for the 95th percentile.
 * @param side `callers`: services that call the service; `callees`: services that the service calls
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
      // Callers are found by their own client spans; callees by their server spans.
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
