import type { ReadOptions, SpanSelection, TraceQuery } from "storage/api";
import { attributeNamesIn } from "../access/attribute-names.ts";
import type { HidingParts } from "../access/hiding-store.ts";
import type { SearchCounts } from "./search-counts.ts";

/** The attribute that names a service. */
const serviceName = "service.name";

/** Counts the names in a request before the store gets it. */
class NameCounter {
  readonly #counts: SearchCounts;

  constructor(counts: SearchCounts) {
    this.#counts = counts;
  }

  selections(options: ReadOptions | undefined, ...selections: readonly (SpanSelection | TraceQuery)[]): void {
    for (const selection of selections) {
      const { service, tags } = selection;
      const attributes = [...(tags?.keys() ?? [])];
      if ("query" in selection && selection.query !== undefined) {
        attributes.push(...attributeNamesIn(selection.query));
      }
      this.#counts.count(options?.tenant ?? "", service ? [service] : [], attributes);
    }
  }

  tree(options: ReadOptions | undefined, tree: unknown): void {
    const names = attributeNamesIn(tree);
    this.#counts.count(options?.tenant ?? "", names.has(serviceName) ? textsIn(tree) : [], names);
  }
}

/** The parts of a store, with a count of what is searched for. A search that the store refuses counts, too. */
export function countingStore(parts: HidingParts, counts: SearchCounts): HidingParts {
  const counter = new NameCounter(counts);
  return {
    ...{ archive: parts.archive, catalog: parts.catalog },
    reader: countingReader(parts.reader, counter),
    analysis: countingAnalysis(parts.analysis, counter),
    traceql: countingTraceQl(parts.traceql, counter),
  };
}

// The methods of a class are not its own properties, so each is named in the functions below.

function countingReader(reader: HidingParts["reader"], counter: NameCounter): HidingParts["reader"] {
  return {
    ...(reader.getPackedTraces && { getPackedTraces: reader.getPackedTraces.bind(reader) }),
    ...(reader.getOutlines && { getOutlines: reader.getOutlines.bind(reader) }),
    getTraces: (...args) => reader.getTraces(...args),
    getServices: (...args) => reader.getServices(...args),
    getOperations: (...args) => reader.getOperations(...args),
    findTraces(query, options) {
      counter.selections(options, query);
      return reader.findTraces(query, options);
    },
    findTraceIds(query, options) {
      counter.selections(options, query);
      return reader.findTraceIds(query, options);
    },
  };
}

function countingAnalysis(analysis: HidingParts["analysis"], counter: NameCounter): HidingParts["analysis"] {
  return {
    getDurationRank: (...args) => analysis.getDurationRank(...args),
    getDurationRanks: (...args) => analysis.getDurationRanks(...args),
    getTopOperations: (...args) => analysis.getTopOperations(...args),
    tail: (...args) => analysis.tail(...args),
    getHeatMap(query, options) {
      counter.selections(options, query);
      return analysis.getHeatMap(query, options);
    },
    compareAttributes(query, options) {
      counter.selections(options, query.selection);
      return analysis.compareAttributes(query, options);
    },
    comparePopulations(query, options) {
      counter.selections(options, query.a, query.b);
      return analysis.comparePopulations(query, options);
    },
    getCriticalPath(query, options) {
      counter.selections(options, query);
      return analysis.getCriticalPath(query, options);
    },
  };
}

function countingTraceQl(traceql: HidingParts["traceql"], counter: NameCounter): HidingParts["traceql"] {
  return {
    search(request, options) {
      counter.tree(options, request.query);
      return traceql.search(request, options);
    },
    metrics(request, options) {
      counter.tree(options, request.query);
      return traceql.metrics(request, options);
    },
    groups(request, options) {
      counter.tree(options, request.query);
      return traceql.groups(request, options);
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
