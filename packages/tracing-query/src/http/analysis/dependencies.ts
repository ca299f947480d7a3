import { z } from "zod";
import { dependencyGraph } from "../../service/dependency-graph.ts";
import type { QueryService } from "../../service/query-service.ts";
import type { ReadLimits } from "../../service/read-limits.ts";
import { adjustedCallsOf, adjustedCallsSchema, adjustedParam } from "../adjusted-json.ts";
import type { Endpoint, EndpointRequest } from "../endpoint.ts";
import type { OperationDescription } from "../openapi/operation.ts";
import { paramsReader } from "./read-request.ts";
import { timeFields, timeRangeOf } from "./span-filter.ts";

// A service name, up to the length that the store keeps.
const text = z.string().max(4_096);
const count = z.int().min(0);

// Parameters of the table: this process filters, sorts and pages the links.
const listParamsSchema = z.strictObject({
  ...timeFields,
  contains: text.default("").describe("Only links with this part in a name, in upper or lower case."),
  order: z
    .enum(["calls", "parent", "child"])
    .default("calls")
    .describe("Most calls first, or names from a to z."),
  adjusted: adjustedParam,
  limit: z.int().min(1).max(1_000).default(100).describe("Most links in the answer."),
  offset: z.int().min(0).max(10_000_000).default(0).describe("Links before those of the answer."),
});

const readListParams = paramsReader(listParamsSchema);

// One pair of services with the calls from the first to the second.
const linkSchema = z.strictObject({
  parent: z.string(),
  child: z.string(),
  calls: count,
  adjusted: adjustedCallsSchema
    .optional()
    .describe("What the spans stand for; with `adjusted=true`, from stores that know it."),
});

const listSchema = z
  .strictObject({
    total: count.describe("Links that match, on all pages."),
    services: count.describe("Services of the whole time."),
    links: z.array(linkSchema),
  })
  .meta({ id: "DependencyList" });

/** Describes the list for the OpenAPI document. The examples here run as tests against a store. */
export const dependencyListOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/dependencies",
  id: "listDependencies",
  summary: "Calls between services, ranked, filtered and in pages",
  query: listParamsSchema,
  answer: { contentType: "application/json", schema: listSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { order: "parent", limit: "5" } },
  failingExample: { status: 400, request: { query: { order: "size" } } },
};

/**
 * `GET …/dependencies`: calls between services, as a table. Jaeger's `/api/dependencies` has the same links without
 * pages.
 *
 * ```
 * GET …/dependencies?contains=sh&order=calls&limit=5
 * {"total": 1, "services": 2, "links": [{"parent": "shop", "child": "db", "calls": 3}]}
 * ```
 *
 * `total` counts the filtered list over all pages, `services` all services of the time range. Errors: 400 for a
 * parameter, 501 from a store that counts no links.
 */
export function dependencyListEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readListParams(params);
    const links = await readLinks(service, values, limits, read);
    const part = values.contains.toLowerCase();
    const has = (name: string) => name.toLowerCase().includes(part);
    const matching = links.filter(({ parent, child }) => has(parent) || has(child));
    const { order, offset, limit } = values;
    matching.sort((one, other) =>
      order === "calls"
        ? other.callCount - one.callCount
        : one[order] < other[order]
          ? -1
          : one[order] > other[order]
            ? 1
            : 0,
    );
    const answer: z.output<typeof listSchema> = {
      total: matching.length,
      services: new Set(links.flatMap(({ parent, child }) => [parent, child])).size,
      links: matching.slice(offset, offset + limit).map(({ parent, child, callCount, adjusted }) => ({
        ...{ parent, child, calls: callCount },
        ...adjustedCallsOf(adjusted),
      })),
    };
    return [JSON.stringify(answer)];
  };
}

// Parameters of the graph: limits keep the drawing readable for any number of services.
const graphParamsSchema = z.strictObject({
  ...timeFields,
  focus: text.optional().describe("The service in the middle; all services without it."),
  hops: z.int().min(1).max(1_000).default(2).describe("Most calls away from the focus."),
  within: text.optional().describe("Only services whose names begin with it, and their neighbours."),
  nodes: z
    .int()
    .min(10)
    .max(500)
    .default(250)
    .describe("Most nodes; with more, services are put into groups."),
  limit: z
    .int()
    .min(1)
    .max(5_000)
    .default(2_000)
    .describe("Most links; those with the fewest calls are left out."),
});

const readGraphParams = paramsReader(graphParamsSchema);

// Number of services and links before the limits apply.
const sizeSchema = z.strictObject({ services: count, links: count });

const graphSchema = z
  .strictObject({
    all: sizeSchema.describe("Of the whole time."),
    chosen: sizeSchema.describe("Of what was asked for, before services are put into groups."),
    nodes: z.array(
      z.strictObject({
        name: z.string().describe("A service's name, or what the names of a group begin with."),
        services: count.describe("1: a service; more: a group."),
      }),
    ),
    links: z
      .array(z.tuple([count, count, count]))
      .describe("`[index of the caller, of the called, calls]`, most first."),
    linksLeftOut: count,
  })
  .meta({ id: "DependencyGraph" });

/** Describes the graph for the OpenAPI document. The examples here run as tests against a store. */
export const dependencyGraphOperation: OperationDescription = {
  method: "GET",
  path: "/api/analysis/v1/dependencies/graph",
  id: "getDependencyGraph",
  summary: "Calls between services as a graph that can be drawn, however many services there are",
  query: graphParamsSchema,
  answer: { contentType: "application/json", schema: graphSchema },
  failures: "problem",
  failureStatuses: [400, 501],
  example: { query: { nodes: "50" } },
  failingExample: { status: 400, request: { query: { nodes: "1" } } },
};

/**
 * `GET …/dependencies/graph`: the same links for a drawing of at most `nodes` nodes and `limit` links.
 *
 * ```
 * GET …/dependencies/graph?focus=shop&hops=1
 * {"all": {"services": 2, "links": 1}, "chosen": {"services": 2, "links": 1},
 *  "nodes": [{"name": "db", "services": 1}, {"name": "shop", "services": 1}],
 *  "links": [[1, 0, 3]], "linksLeftOut": 0}
 * ```
 *
 * Links name nodes by their index, because names repeat. Errors as for the list.
 */
export function dependencyGraphEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const values = readGraphParams(params);
    const links = await readLinks(service, values, limits, read);
    const { focus, hops, within, nodes, limit } = values;
    const graph = dependencyGraph(links, { focus, hops, within, mostNodes: nodes, mostLinks: limit });
    const answer: z.output<typeof graphSchema> = {
      ...graph,
      nodes: [...graph.nodes],
      links: graph.links.map(({ parent, child, calls }) => [parent, child, calls]),
    };
    return [JSON.stringify(answer)];
  };
}

/** A call within one service is not an edge of the graph. */
async function readLinks(
  service: QueryService,
  values: { start?: number | undefined; end?: number | undefined; adjusted?: string | undefined },
  limits: ReadLimits,
  read: EndpointRequest["read"],
) {
  const links = await service.getDependencies(
    { ...timeRangeOf(values, Date.now(), limits), adjusted: values.adjusted === "true" },
    read,
  );
  return links.filter(({ parent, child }) => parent !== child);
}
