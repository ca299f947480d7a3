import type { AskedRange, Capabilities, SpanConditions, TimedConditions } from "../../api/analysis.ts";
import type { TraceSearch } from "../../api/queries.ts";
import type { TraceQlSearch } from "../../api/traceql-search.ts";
import type { SearchAddress } from "../../searches/search-address.ts";
import { parseTagText } from "../../searches/tag-text.ts";
import { columnsOf } from "./columns.ts";
import { conditionsOf, type FieldErrors } from "./search-of.ts";
import { parseSelection, type Selection, selectedDurations } from "./selection.ts";
import { fieldsOfTraceQl, traceQlOfFields } from "./traceql-fields.ts";

/** Everything that the search page asks the server for one address. */
export interface SearchPlan {
  /** Faults of fields; with one nothing is asked. */
  errors: FieldErrors;
  /** The plain search for the list; undefined when another question brings the list. */
  bySearch: TraceSearch | undefined;
  /** The TraceQL search for the list; undefined when another question brings the list. */
  byTraceQl: TraceQlSearch | undefined;
  /** The spans of the list as TraceQL, to be counted in groups; undefined without TraceQL. */
  grouped: { q: string; range: AskedRange } | undefined;
  /** Traces that are asked for by their ids, instead of both; undefined when there are none. */
  byIds: readonly string[] | undefined;
  /** The spans of the heat map; undefined without a heat map. */
  map: { asked: { q: string } | SpanConditions; range: AskedRange } | undefined;
  /** The selected stretch of the heat map; undefined for none. */
  selection: Selection | undefined;
  /** The search as conditions on one span, for endpoints that do not take TraceQL; undefined when it is not so simple. */
  conditions: SpanConditions | undefined;
}

/**
 * Turns an address into questions. Fields with a service ask the plain search, which every store answers.
 * All services at once, TraceQL and columns of choice need a store that knows TraceQL. A selection narrows
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
  // Only TraceQL brings the values of attributes without the spans themselves.
  const isPlain = address.q === undefined && columns.length === 0;
  if (isPlain && fromFields?.service) {
    plan.bySearch = { ...fromFields, ...durations, service: fromFields.service, limit, range: listRange };
  } else if (can.traceql || address.q !== undefined) {
    plan.byTraceQl = { q, range: listRange, limit, ...(columns.length === 0 ? {} : { columns }) };
  }
  return plan;
}

/** The ids in a list with commas between; undefined for none. */
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

/** Texts that are empty ask nothing. */
function withoutEmpty(conditions: SpanConditions): SpanConditions {
  return Object.fromEntries(
    Object.entries(conditions).filter(([, value]) => value !== undefined && value !== ""),
  );
}

/** The durations of a selection as a spanset of TraceQL. */
function durationsOf(selection: Selection): string {
  return traceQlOfFields(selectedDurations(selection, {}));
}

/** A TraceQL query as conditions on one span; undefined when it is more than that. */
function looseConditions(q: string): SpanConditions | undefined {
  const fields = fieldsOfTraceQl(q, true);
  const tags = parseTagText(fields?.tags ?? "");
  return fields === undefined || !tags.ok ? undefined : { ...fields, tags: tags.tags };
}
