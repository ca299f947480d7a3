import type { ReadOptions, SpanSelection, TraceQuery } from "storage/api";
import { attributeNamesIn } from "../access/attribute-names.ts";
import type { HidingParts } from "../access/hiding-store.ts";
import type { SearchCounts } from "./search-counts.ts";

/** Attributes that name a service, in TraceQL. */
const serviceName = "service.name";

/** The parts of a store, with a count of what is searched for. A search that the store refuses counts, too. */
export function countingStore(parts: HidingParts, counts: SearchCounts): HidingParts {
  const { reader, analysis, traceql } = parts;
  const count = (
    options: ReadOptions | undefined,
    ...selections: readonly (SpanSelection | TraceQuery)[]
  ) => {
    for (const selection of selections) {
      const { service, tags } = selection;
      const attributes = [...(tags?.keys() ?? [])];
      if ("query" in selection && selection.query !== undefined) {
        attributes.push(...attributeNamesIn(selection.query));
      }
      counts.count(options?.tenant ?? "", service ? [service] : [], attributes);
    }
  };
  const countTree = (options: ReadOptions | undefined, tree: unknown) => {
    const names = attributeNamesIn(tree);
    counts.count(options?.tenant ?? "", names.has(serviceName) ? textsIn(tree) : [], names);
  };
  // The methods of a class are not its own properties, so each is named here.
  return {
    ...parts,
    reader: {
      ...(reader.getPackedTraces && { getPackedTraces: reader.getPackedTraces.bind(reader) }),
      ...(reader.getOutlines && { getOutlines: reader.getOutlines.bind(reader) }),
      getTraces: (...args) => reader.getTraces(...args),
      getServices: (...args) => reader.getServices(...args),
      getOperations: (...args) => reader.getOperations(...args),
      findTraces(query, options) {
        count(options, query);
        return reader.findTraces(query, options);
      },
      findTraceIds(query, options) {
        count(options, query);
        return reader.findTraceIds(query, options);
      },
    },
    analysis: {
      getDurationRank: (...args) => analysis.getDurationRank(...args),
      getDurationRanks: (...args) => analysis.getDurationRanks(...args),
      getTopOperations: (...args) => analysis.getTopOperations(...args),
      tail: (...args) => analysis.tail(...args),
      getHeatMap(query, options) {
        count(options, query);
        return analysis.getHeatMap(query, options);
      },
      compareAttributes(query, options) {
        count(options, query.selection);
        return analysis.compareAttributes(query, options);
      },
      comparePopulations(query, options) {
        count(options, query.a, query.b);
        return analysis.comparePopulations(query, options);
      },
      getCriticalPath(query, options) {
        count(options, query);
        return analysis.getCriticalPath(query, options);
      },
    },
    traceql: {
      search(request, options) {
        countTree(options, request.query);
        return traceql.search(request, options);
      },
      metrics(request, options) {
        countTree(options, request.query);
        return traceql.metrics(request, options);
      },
      groups(request, options) {
        countTree(options, request.query);
        return traceql.groups(request, options);
      },
    },
  };
}

/** Texts that are compared with the name of a service: `{ resource.service.name = "shop" }`. */
function textsIn(node: unknown): string[] {
  if (typeof node !== "object" || node === null) {
    return [];
  }
  const { type, left, right } = node as {
    type?: string;
    left?: { name?: unknown };
    right?: { value?: { value?: unknown } };
  };
  const text = right?.value?.value;
  if (type === "binary" && left?.name === serviceName && typeof text === "string") {
    return [text];
  }
  return Object.values(node).flatMap(textsIn);
}
