import { type AttributeScope, attributeScopes, rateOrders } from "storage/api";
import { z } from "zod";
import { attributeNamesEndpoint, attributeValuesEndpoint } from "../../http/analysis/attributes.ts";
import { compareEndpoint } from "../../http/analysis/compare.ts";
import { dependencyListEndpoint } from "../../http/analysis/dependencies.ts";
import { diffEndpoint } from "../../http/analysis/diff.ts";
import { exceptionsEndpoint } from "../../http/analysis/exceptions.ts";
import { traceIdSchema } from "../../http/analysis/trace-id-part.ts";
import { ratesEndpoint } from "../../http/rates-endpoint.ts";
import { askEndpoint } from "../ask-endpoint.ts";
import { rangeOfArguments, timeArguments } from "../time-argument.ts";
import { defineTool, type Tool, type ToolContext } from "../tool.ts";
import { conditionsOf, spanArguments } from "./search-tool.ts";

// Names and other texts have at most 4,096 characters, as in the HTTP API.
const text = z.string().max(4_096);
// Argument `offset` of every list that has pages.
const offset = z.int().min(0).max(1_000_000).default(0).describe("Items before those of the answer.");
// Advice for the assistant when the budget shortened the list.
const rest = "raise budget, or ask again with a larger offset";

/** A time range as parameters of the HTTP API: microseconds since the Unix epoch; `end` is exclusive. */
function timesOf(
  args: { readonly start_time_min: string; readonly start_time_max: string },
  context: ToolContext,
) {
  const { startUnixNano, endUnixNano } = rangeOfArguments(args, context);
  return { start: String(startUnixNano / 1_000n), end: String(endUnixNano / 1_000n + 1n) };
}

/** Reads a list from the HTTP API's answer. */
function listOf(answer: Record<string, unknown>, name: string): readonly Record<string, unknown>[] {
  return answer[name] as readonly Record<string, unknown>[];
}

/**
 * `get_service_dependencies` {"contains": "shop"} → {"dependencies": [{"caller": "shop", "callee": "db",
 * "call_count": 3}], …}.
 */
export const dependenciesTool: Tool = defineTool({
  name: "get_service_dependencies",
  title: "Calls between services",
  description: "Which service calls which, with numbers of calls, most first.",
  weight: "light",
  input: {
    start_time: timeArguments.start_time_min.default("-24h"),
    end_time: timeArguments.start_time_max,
    contains: text.default("").describe("Only calls with this part in the name of a service, in any case."),
    limit: z.int().min(1).max(1_000).default(100).describe("Most pairs of services in the answer."),
    offset,
  },
  async answer({ start_time, end_time, contains, limit, offset: skipped }, context) {
    const times = timesOf({ start_time_min: start_time, start_time_max: end_time }, context);
    // Tools call the endpoints of the HTTP API, so that both have the same checks and limits.
    const ask = dependencyListEndpoint(context.service, context.limits);
    const found = await askEndpoint(ask, { ...times, contains, limit, offset: skipped }, context);
    const dependencies = listOf(found, "links").map(({ parent, child, calls }) => ({
      ...{ caller: parent, callee: child, call_count: calls },
    }));
    return {
      fields: { dependencies, total_count: found.total, link: context.link("/dependencies") },
      lists: ["dependencies"],
      rest,
    };
  },
});

/**
 * `get_service_metrics` {"service_name": "shop", "order": "p95"} → figures for each operation. Durations are
 * microseconds. With `with_curve` each name has up to twelve steps; `curve_columns` names their columns.
 */
export const metricsTool: Tool = defineTool({
  name: "get_service_metrics",
  title: "Rates, errors and durations",
  description:
    "Calls, errors and durations (p50, p95, p99, microseconds) of all spans in a time: of services, or of the operations of one. " +
    "Counted from every stored span, not from a sample of traces.",
  weight: "light",
  input: {
    service_name: text.optional().describe("Ranks the operations of this service; services when absent."),
    contains: text.default("").describe("Only names with this part, in any case."),
    span_kind: z
      .enum(["server", "client", "producer", "consumer", "internal"])
      .default("server")
      .describe("Spans that count."),
    lookback_minutes: z.int().min(1).max(100_000).default(60).describe("Minutes until now."),
    order: z.enum(rateOrders).default("calls").describe("What ranks the names."),
    with_curve: z.boolean().default(false).describe("Twelve steps of the time beside the sums."),
    limit: z.int().min(1).max(200).default(20).describe("Most names in the answer."),
    offset,
  },
  async answer({ service_name, lookback_minutes, span_kind, with_curve, ...args }, context) {
    const { contains, order, limit, offset: skipped } = args;
    const lookback = lookback_minutes * 60_000;
    const found = await askEndpoint(
      ratesEndpoint(context.service),
      {
        ...{ service: service_name, contains, spanKind: span_kind, order, limit, offset: skipped, lookback },
        // The current minute counts too.
        ...{ endTs: context.nowMs + 60_000, step: Math.ceil(lookback / 12) },
      },
      context,
    );
    // Start and step of the curve are the same for all names, so the answer has them only once.
    const { start, step, steps, total } = found;
    const names = listOf(found, "names").map(({ curve, ...figures }) => ({
      ...figures,
      ...(with_curve ? { curve } : {}),
    }));
    const path = service_name === undefined ? "/services" : `/services/${encodeURIComponent(service_name)}`;
    return {
      fields: {
        ...{ names, total_count: total, unit: "microseconds", link: context.link(path) },
        ...(with_curve
          ? {
              curve_start_unix_ms: start,
              curve_step_ms: step,
              curve_steps: steps,
              curve_columns: curveColumns,
            }
          : {}),
      },
      lists: ["names"],
      rest,
    };
  },
});

/** Names of the columns of a curve's rows, for the assistant. */
const curveColumns = ["step", "calls", "errors", "p50", "p95", "p99"];

/** `get_exceptions` {"service_name": "shop"} → groups with counts and at most three example traces each. */
export const exceptionsTool: Tool = defineTool({
  name: "get_exceptions",
  title: "Exceptions by type and message",
  description:
    "Exceptions that spans recorded, grouped by type and message without its numbers and ids: how many, in which services, " +
    "first and last time (microseconds since the Unix epoch), example traces.",
  weight: "search",
  input: {
    ...timeArguments,
    service_name: text.optional().describe("Every service when absent."),
    contains: text.default("").describe("Only exceptions with this part in type or message, in any case."),
    order: z.enum(["count", "last", "first"]).default("count").describe("Most, newest, or begun last first."),
    limit: z.int().min(1).max(200).default(20).describe("Most groups in the answer."),
    offset,
  },
  async answer({ service_name, contains, order, limit, offset: skipped, ...times }, context) {
    const found = await askEndpoint(
      exceptionsEndpoint(context.service, context.limits),
      { ...timesOf(times, context), service: service_name, contains, order, limit, offset: skipped },
      context,
    );
    // Curves cost many tokens and help an assistant little.
    const groups = listOf(found, "groups").map(({ curve: _curve, examples, ...group }) => ({
      ...group,
      examples: (examples as { traceID: string; spanID: string }[])
        .slice(0, 3)
        .map(({ traceID, spanID }) => ({ trace_id: traceID, span_id: spanID })),
    }));
    return {
      fields: {
        ...{ groups, total_count: found.total, exceptions: found.exceptions, truncated: found.truncated },
        link: context.link("/exceptions"),
      },
      lists: ["groups"],
      rest,
    };
  },
});

/** Conditions of spans without times, because the times of `selected` are separate and optional. */
const { start_time_min: _from, start_time_max: _to, ...spanConditions } = spanArguments;

// Conditions that only the selected spans meet. An absent time range is copied from the compared spans.
const selectedSchema = z.strictObject({
  ...spanConditions,
  with_errors: z.boolean().optional().describe("Only spans whose status is an error."),
  start_time_min: text.optional().describe("Another time than that of the others."),
  start_time_max: text.optional(),
  query: text.optional().describe("TraceQL that selects them too."),
});

/**
 * `find_differences`: the assistant's form of `/api/analysis/v1/compare`. Counts become percentages too, so
 * that sides of different size can be compared.
 */
export const differencesTool: Tool = defineTool({
  name: "find_differences",
  title: "What sets spans apart",
  description:
    "Attributes that are more or less frequent on selected spans than on all others: why some are slow, failed, or of one release. " +
    "`selected` holds the conditions that only the spans that you wonder about meet; the others describe both sides. Example: " +
    '{"service_name": "shop", "span_name": "GET /cart", "selected": {"duration_min": "500ms"}}.',
  weight: "search",
  input: {
    ...spanArguments,
    selected: selectedSchema.describe("Conditions of the spans that you wonder about."),
    limit: z.int().min(1).max(200).default(25).describe("Most differences in the answer."),
  },
  async answer({ selected, limit, ...args }, context) {
    // The selection's own time range, if the caller gave one: "what changed since" compares two ranges.
    const own = {
      start_time_min: selected.start_time_min ?? args.start_time_min,
      start_time_max: selected.start_time_max ?? args.start_time_max,
    };
    const side = {
      ...conditionsOf({ ...selected, ...own, with_errors: selected.with_errors ?? false }),
      ...{ q: selected.query, ...timesOf(own, context) },
    };
    const found = await askEndpoint(
      compareEndpoint(context.service.analysis, context.limits),
      {
        ...{ ...conditionsOf(args), ...timesOf(args, context), limit },
        // Parameters for the selection have this prefix in the endpoint's URL.
        ...Object.fromEntries(Object.entries(side).map(([name, value]) => [`selection.${name}`, value])),
      },
      context,
    );
    const { selectedSpans, otherSpans } = found as { selectedSpans: number; otherSpans: number };
    // Per cent with one digit after the point.
    const share = (count: unknown, of: number) =>
      of === 0 ? 0 : Math.round((1_000 * Number(count)) / of) / 10;
    const differences = listOf(found, "differences").map(({ place, key, value, ...counts }) => ({
      ...{ place, key, value, selected_spans: counts.selected, other_spans: counts.others },
      selected_percent: share(counts.selected, selectedSpans),
      other_percent: share(counts.others, otherSpans),
    }));
    return {
      fields: { selected_spans: selectedSpans, other_spans: otherSpans, differences },
      lists: ["differences"],
      rest: "raise budget, or lower limit",
    };
  },
});

/**
 * `compare_traces`: the assistant's form of `/api/analysis/v1/diff`. The tree becomes a ranked list, because
 * an assistant needs the groups that differ most.
 */
export const compareTracesTool: Tool = defineTool({
  name: "compare_traces",
  title: "A trace beside another",
  description:
    "Where two traces differ, by service and operation at the same place of the tree, largest difference of their own time first. " +
    "Without other_trace_id the trace is held beside the median of others with the same root.",
  weight: "search",
  input: {
    trace_id: traceIdSchema.describe("The trace that you wonder about."),
    other_trace_id: traceIdSchema
      .optional()
      .describe("What it is compared with; the median of others when absent."),
    limit: z.int().min(1).max(1_000).default(30).describe("Most places in the answer."),
  },
  async answer({ trace_id, other_trace_id, limit }, context) {
    const { service, adjust, limits } = context;
    const ask = diffEndpoint(service, adjust, limits);
    const found = await askEndpoint(ask, { a: trace_id, b: other_trace_id }, context);
    const nodes = listOf(found, "nodes");
    const ranked = found.ranked as readonly number[];
    // The endpoint ranks nodes by the difference of their self times.
    const differences = ranked.slice(0, limit).map((index) => {
      const { service: name, operation, a, b } = nodes[index] as Record<string, unknown>;
      return { service: name, span_name: operation, a: sideOf(a), b: sideOf(b) };
    });
    const page =
      other_trace_id === undefined ? `/trace/${trace_id}` : `/trace/${trace_id}...${other_trace_id}`;
    return {
      fields: {
        ...{ unit: "microseconds", a: found.a, b: found.b, total_count: ranked.length },
        ...{ link: context.link(page), differences },
      },
      lists: ["differences"],
      rest: "raise limit or budget",
    };
  },
});

/**
 * A side of a difference with at most three ids of spans, for `get_span_details`. null: the side has no such
 * spans.
 */
function sideOf(side: unknown): unknown {
  if (typeof side !== "object" || side === null) {
    return null;
  }
  const { spanIDs, ...figures } = side as { readonly spanIDs?: readonly string[] };
  return { ...figures, ...(spanIDs === undefined ? {} : { span_ids: spanIDs.slice(0, 3) }) };
}

// Scopes of attributes, as TraceQL names them.
const scope = z.enum(attributeScopes).describe("Where it stands, in TraceQL's words.");

/** `get_attribute_names` {"scope": "span"} → {"span": ["region"]}: names by scope, without counts. */
export const attributeNamesTool: Tool = defineTool({
  name: "get_attribute_names",
  title: "Names of attributes",
  description: "Names of attributes on spans, for search_traces, find_differences and TraceQL.",
  weight: "light",
  input: {
    ...spanArguments,
    scope: scope.optional(),
    prefix: text.optional().describe("What it begins with, to the letter."),
    limit: z.int().min(1).max(1_000).default(200).describe("Most names of each scope: the most frequent."),
  },
  async answer({ scope: only, prefix, limit, ...args }, context) {
    const found = await askEndpoint(
      attributeNamesEndpoint(context.service, context.limits),
      { ...conditionsOf(args), ...timesOf(args, context), scope: only, prefix, limit },
      context,
    );
    const attributes: Partial<Record<AttributeScope, unknown[]>> = {};
    for (const one of listOf(found, "attributes")) {
      const where = one.scope as AttributeScope;
      attributes[where] = [...(attributes[where] ?? []), one.name];
    }
    return { fields: attributes, lists: Object.keys(attributes), rest: "ask with scope or prefix" };
  },
});

/** `get_attribute_values` {"name": "region"} → {"values": [{"type": "string", "value": "west", "count": 1}]}. */
export const attributeValuesTool: Tool = defineTool({
  name: "get_attribute_values",
  title: "Values of an attribute",
  description: "Values of one attribute on spans, most frequent first, with how often each was seen.",
  weight: "light",
  input: {
    ...spanArguments,
    scope: scope.default("span"),
    name: text.min(1).describe("As get_attribute_names writes it."),
    prefix: text.optional().describe("What values begin with, to the letter."),
    limit: z.int().min(1).max(1_000).default(50).describe("Most values."),
  },
  async answer({ scope: where, name, prefix, limit, ...args }, context) {
    const found = await askEndpoint(
      attributeValuesEndpoint(context.service, context.limits),
      { ...conditionsOf(args), ...timesOf(args, context), prefix, limit },
      context,
      { scope: where, name },
    );
    return { fields: { values: found.values }, lists: ["values"], rest: "ask with prefix or raise budget" };
  },
});
