import type {
  AnalysisReader,
  ArchiveStore,
  AttributeCatalog,
  PackedTrace,
  ReadOptions,
  SpanReader,
  SpanSelection,
  TraceQlAttribute,
  TraceQlMatch,
  TraceQlReader,
  TraceQuery,
  TraceStore,
} from "storage/api";
import type { Access, AccessRead } from "./access.ts";
import { refuseHidden } from "./hidden-conditions.ts";
import { HiddenNames } from "./hidden-names.ts";
import { SpanMask } from "./hidden-spans.ts";

type Options = (ReadOptions & AccessRead) | undefined;

/** Rights of a read that comes without rights: it sees names of attributes, but no values except `service.name`. */
const unknown: Access = { role: "viewer", user: "", hidden: new HiddenNames(["*"]), mayDelete: false };

function accessOf(options: Options): Access {
  return options?.access ?? unknown;
}

function treesOf(...selections: readonly SpanSelection[]): unknown[] {
  return selections.flatMap(({ query }) => (query === undefined ? [] : [query]));
}

/** The parts of a store that return values of attributes, or take conditions on them. */
export type HidingParts = Pick<TraceStore, "reader" | "archive" | "analysis" | "traceql" | "catalog">;

/**
 * The parts of a store for requests with rights. Conditions on marked attributes are refused, and marked values are
 * replaced in all answers. All endpoints read spans through these parts, so no endpoint needs rules of its own.
 */
export function hidingStore({ reader, archive, analysis, traceql, catalog }: HidingParts): HidingParts {
  return {
    reader: hidingReader(reader),
    archive: { writer: archive.writer, reader: hidingTraces(archive.reader) },
    analysis: hidingAnalysis(analysis),
    traceql: hidingTraceQl(traceql),
    catalog: hidingCatalog(catalog),
  };
}

function masked<T extends PackedTrace>(traces: readonly T[], options: Options): PackedTrace[] {
  const { hidden } = accessOf(options);
  const mask = hidden && new SpanMask(hidden);
  return traces.map((trace) => mask?.trace(trace) ?? trace);
}

function hidingTraces(reader: ArchiveStore["reader"]): ArchiveStore["reader"] {
  const packed = reader.getPackedTraces?.bind(reader);
  return {
    async getTraces(ids, options?: Options) {
      const { hidden } = accessOf(options);
      const mask = hidden && new SpanMask(hidden);
      const traces = await reader.getTraces(ids, options);
      return mask === undefined
        ? traces
        : traces.map(({ traceId, spans }) => ({ traceId, spans: spans.map((span) => mask.span(span)) }));
    },
    ...(packed && {
      getPackedTraces: async (ids, options, onCount) => masked(await packed(ids, options, onCount), options),
    }),
  };
}

function hidingReader(reader: SpanReader): SpanReader {
  const outlines = reader.getOutlines?.bind(reader);
  const checked = (query: TraceQuery, options: Options) => {
    refuseHidden(accessOf(options), query);
    return query;
  };
  return {
    ...hidingTraces(reader),
    ...(outlines && {
      getOutlines: async (ids, options, onCount) => masked(await outlines(ids, options, onCount), options),
    }),
    async findTraces(query, options?: Options) {
      const traces = await reader.findTraces(checked(query, options), options);
      const { hidden } = accessOf(options);
      const mask = hidden && new SpanMask(hidden);
      return mask === undefined
        ? traces
        : traces.map(({ traceId, spans }) => ({ traceId, spans: spans.map((span) => mask.span(span)) }));
    },
    findTraceIds: async (query, options) => await reader.findTraceIds(checked(query, options), options),
    getServices: (options) => reader.getServices(options),
    getOperations: (query, options) => reader.getOperations(query, options),
  };
}

/** True when an attribute's text has a hidden value in it: its own, or that of an entry of a kvlist. */
function isHiddenText(hidden: HiddenNames | undefined, key: string, value: string): boolean {
  if (hidden === undefined) {
    return false;
  }
  return hidden.touches(key) || (/^[[{]/.test(value) && hasHiddenEntry(hidden, key, value));
}

function hasHiddenEntry(hidden: HiddenNames, key: string, text: string): boolean {
  const isHidden = (value: unknown, name: string): boolean =>
    typeof value === "object" && value !== null
      ? Object.entries(value).some(([entry, inner]) => {
          const nested = Array.isArray(value) ? name : `${name}.${entry}`;
          return hidden.has(nested) || isHidden(inner, nested);
        })
      : false;
  try {
    return isHidden(JSON.parse(text), key);
  } catch {
    return false;
  }
}

function hidingAnalysis(reader: AnalysisReader): AnalysisReader {
  const check = (options: Options, ...selections: readonly SpanSelection[]) => {
    for (const selection of selections) {
      refuseHidden(accessOf(options), { tags: selection.tags, trees: treesOf(selection) });
    }
  };
  return {
    async getHeatMap(query, options) {
      check(options, query);
      return await reader.getHeatMap(query, options);
    },
    async compareAttributes(query, options?: Options) {
      check(options, query.selection, query.background);
      const { hidden } = accessOf(options);
      const found = await reader.compareAttributes(query, options);
      const differences = found.differences.filter(({ key, value }) => !isHiddenText(hidden, key, value));
      return { ...found, differences };
    },
    async comparePopulations(query, options?: Options) {
      check(options, query.a, query.b);
      const { hidden } = accessOf(options);
      const found = await reader.comparePopulations(query, options);
      const attributes = found.attributes.filter(({ key, value }) => !isHiddenText(hidden, key, value));
      return { ...found, attributes };
    },
    getDurationRank: (query, options) => reader.getDurationRank(query, options),
    getDurationRanks: (query, options) => reader.getDurationRanks(query, options),
    getTopOperations: (query, options) => reader.getTopOperations(query, options),
    async getCriticalPath(query, options) {
      check(options, query);
      return await reader.getCriticalPath(query, options);
    },
    async tail(query, options?: Options) {
      check(options, query);
      const { hidden } = accessOf(options);
      const found = await reader.tail(query, options);
      const mask = hidden && new SpanMask(hidden);
      return mask === undefined ? found : { ...found, spans: found.spans.map((span) => mask.span(span)) };
    },
  };
}

/** The attribute's name in a label: `user.id` of `span.user.id`, `.user.id` and `resource."user id"`. */
function nameOfLabel(label: string): string {
  const [, rest = label] =
    /^(?:parent\.)?(?:span|resource|event|link|instrumentation)?\.(.+)$/s.exec(label) ?? [];
  return /^".*"$/s.test(rest) ? rest.slice(1, -1).replace(/\\(["\\])/g, "$1") : rest;
}

function isHiddenLabel(hidden: HiddenNames, [label]: TraceQlAttribute): boolean {
  return hidden.has(label) || hidden.has(nameOfLabel(label));
}

/** The labels without hidden values, also inside of kvlists. */
function shownLabels(hidden: HiddenNames, labels: readonly TraceQlAttribute[]): TraceQlAttribute[] {
  return labels.map((label): TraceQlAttribute => {
    const [key, value] = label;
    return key === "service.name" || key === "resource.service.name"
      ? label
      : [key, hidden.shown({ key: nameOfLabel(key), value }).value];
  });
}

function shownMatch(hidden: HiddenNames, match: TraceQlMatch): TraceQlMatch {
  const spanSets = match.spanSets.map((set) => ({
    ...set,
    attributes: shownLabels(hidden, set.attributes),
    spans: set.spans.map((span) => ({ ...span, attributes: shownLabels(hidden, span.attributes) })),
  }));
  return { ...match, spanSets };
}

function hidingTraceQl(reader: TraceQlReader): TraceQlReader {
  const check = (options: Options, query: unknown) => refuseHidden(accessOf(options), { trees: [query] });
  return {
    async search(request, options?: Options) {
      check(options, request.query);
      const { hidden } = accessOf(options);
      const found = await reader.search(request, options);
      return hidden === undefined
        ? found
        : { ...found, traces: found.traces.map((match) => shownMatch(hidden, match)) };
    },
    async metrics(request, options?: Options) {
      check(options, request.query);
      const { hidden } = accessOf(options);
      const found = await reader.metrics(request, options);
      if (hidden === undefined) {
        return found;
      }
      // `compare()` lists the values of all attributes without naming them.
      const series = found.series
        .filter(({ labels }) => !labels.some((label) => isHiddenLabel(hidden, label)))
        .map((one) => ({ ...one, labels: shownLabels(hidden, one.labels) }));
      return { ...found, series };
    },
    async groups(request, options?: Options) {
      check(options, request.query);
      return await reader.groups(request, options);
    },
  };
}

function hidingCatalog(catalog: AttributeCatalog): AttributeCatalog {
  return {
    async names(query, options?: Options) {
      refuseHidden(accessOf(options), { tags: query.filter?.tags, trees: [query.condition] });
      return await catalog.names(query, options);
    },
    async values(query, options?: Options) {
      const names = query.scope === "intrinsic" ? [] : [query.name];
      refuseHidden(accessOf(options), { tags: query.filter?.tags, trees: [query.condition], names });
      return await catalog.values(query, options);
    },
  };
}
