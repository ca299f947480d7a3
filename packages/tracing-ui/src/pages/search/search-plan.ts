import type { AskedRange, Capabilities, SpanConditions, TimedConditions } from "../../api/analysis.ts";
import type { TraceSearch } from "../../api/queries.ts";
import type { TraceQlSearch } from "../../api/traceql-search.ts";
import type { SearchAddress } from "../../searches/search-address.ts";
import { parseTagText } from "../../searches/tag-text.ts";
import { columnsOf } from "./columns.ts";
import { conditionsOf, type FieldErrors } from "./search-of.ts";
import { parseSelection, type Selection, selectedDurations } from "./selection.ts";
import { fieldsOfTraceQl, traceQlOfFields } from "./traceql-fields.ts";

/** All requests that the search page sends for one address. */
export interface SearchPlan {
  /** Error messages by field. With an error no request is sent. */
  errors: FieldErrors;
  /** The plain search for the list; undefined when another request loads the list. */
  bySearch: TraceSearch | undefined;
  /** The TraceQL search for the list; undefined when another request loads the list. */
  byTraceQl: TraceQlSearch | undefined;
  /** The TraceQL query and time range for groups of spans; undefined without TraceQL. */
  grouped: { q: string; range: AskedRange } | undefined;
  /** Ids of traces to load, instead of either search; undefined without ids. */
  byIds: readonly string[] | undefined;
  /** The request for the heat map; undefined without a heat map. */
  map: { asked: { q: string } | SpanConditions; range: AskedRange } | undefined;
  /** The selected range of the heat map; undefined for none. */
  selection: Selection | undefined;
  /**
   * The search as conditions on one span, for endpoints without TraceQL; undefined when conditions cannot express it.
   */
  conditions: SpanConditions | undefined;
}

/**
 * Turns an address into requests. Fields with a service use the plain search, which every store supports.
 * Searches over all services, TraceQL and extra columns need a store with TraceQL. A selection narrows
 * the list, not the heat map.
 */
export function searchPlan(address: SearchAddress, can: Capabilities): SearchPlan {
  const { errors, conditions: fromFields, range } = conditionsOf(address);
  const selection = parseSelection(address.sel);
  const plan: SearchPlan = {
    errors,
    bySearch: undefined,
    byTraceQl: undefined,
    grouped: undefined,
    byIds: idsOf(address.traceID),
    map: undefined,
    selection,
    conditions: address.q === undefined ? fromFields : looseConditions(address.q),
  };
  if (plan.byIds !== undefined) {
    return { ...plan, errors: {}, conditions: undefined };
  }
  if (range === undefined || (address.q === undefined && fromFields === undefined)) {
    return plan;
  }
  const asked = address.q === undefined ? (fromFields ?? {}) : { q: address.q };
  if (can.heatmap && (address.q === undefined || can.traceql)) {
    plan.map = { asked, range };
  }

  const listRange = selection ?? range;
  const { limit } = address;
  const columns = can.traceql ? columnsOf(address.cols) : [];
  const durations = selection === undefined ? {} : selectedDurations(selection, address);
  const q =
    address.q === undefined
      ? traceQlOfFields({ ...address, ...durations })
      : selection === undefined
        ? address.q
        : `${address.q}\n| ${durationsOf(selection)}`;
  if (can.traceql) {
    plan.grouped = { q, range: listRange };
  }
  // Only TraceQL searches return attribute values without the spans themselves.
  const isPlain = address.q === undefined && columns.length === 0;
  if (isPlain && fromFields?.service) {
    plan.bySearch = { ...fromFields, ...durations, service: fromFields.service, limit, range: listRange };
  } else if (can.traceql || address.q !== undefined) {
    plan.byTraceQl = { q, range: listRange, limit, ...(columns.length === 0 ? {} : { columns }) };
  }
  return plan;
}

/** The ids in a comma-separated list; undefined for none. */
function idsOf(traceIds: string | undefined): readonly string[] | undefined {
  const ids = (traceIds ?? "").split(",").filter((id) => /^[0-9a-f]{1,32}$/i.test(id));
  return ids.length === 0 ? undefined : ids;
}

/** The two sides of a comparison: the spans of a selection, and all others of the whole time range. */
export function comparisonOf(
  conditions: SpanConditions,
  { startUs, endUs, ...rows }: Selection,
  whole: { start: number; end: number },
): { selection: TimedConditions; background: TimedConditions } {
  const background = {
    ...withoutEmpty(conditions),
    start: Math.round(whole.start),
    end: Math.round(whole.end),
  };
  const durations = selectedDurations({ startUs, endUs, ...rows }, conditions);
  const selection = { ...background, ...withoutEmpty(durations), start: startUs, end: endUs };
  return { selection, background };
}

/** Drops conditions with empty text. */
function withoutEmpty(conditions: SpanConditions): SpanConditions {
  return Object.fromEntries(
    Object.entries(conditions).filter(([, value]) => value !== undefined && value !== ""),
  );
}

/** The durations of a selection as a spanset of TraceQL. */
function durationsOf(selection: Selection): string {
  return traceQlOfFields(selectedDurations(selection, {}));
}

/** Converts a TraceQL query to conditions on one span; undefined when conditions cannot express it. */
function looseConditions(q: string): SpanConditions | undefined {
  const fields = fieldsOfTraceQl(q, true);
  const tags = parseTagText(fields?.tags ?? "");
  return fields === undefined || !tags.ok ? undefined : { ...fields, tags: tags.tags };
}
