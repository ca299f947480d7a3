import * as z from "zod/mini";

const text = z.catch(z.optional(z.string()), undefined);
/** A whole number of microseconds; absent when the text is not such a number. */
const microseconds = z.catch(z.optional(z.coerce.number().check(z.int(), z.nonnegative())), undefined);

/** Columns that the statistics can be sorted by. */
const statisticsColumns = [
  "name",
  "count",
  "errors",
  "total",
  "self",
  "min",
  "median",
  "p95",
  "max",
] as const;

/** A column that the statistics can be sorted by. */
export type StatisticsColumn = (typeof statisticsColumns)[number];
/** The default order, used when the address has none. */
export const defaultStatisticsSort: StatisticsColumn = "self";

/**
 * State of the trace page in its address. Unreadable parts are ignored, and so are ids that are not in the
 * trace. The router checks an address a second time, so the schema accepts its own output.
 */
export const traceAddress = z.object({
  /** Id of the selected span. */
  span: text,
  /** Ids of the spans whose details are open, with commas between them. */
  open: text,
  /** Folded spans: ids with commas between them, `all` for every span with children, or a rule such as `depth:2`. */
  fold: text,
  /** Unfolded runs of similar siblings: ids of their first spans, or `all`. */
  runs: text,
  /** Text of the filter. */
  q: text,
  /** Shown services, as Jaeger's UI writes them; becomes a filter when `q` is absent. */
  svcFilter: text,
  /** `dim`: spans that do not match the filter are dimmed; absent: they are hidden. */
  others: z.catch(z.optional(z.enum(["dim"])), undefined),
  /** `shown`: idle gaps are drawn at full length; absent: they are folded. */
  gaps: z.catch(z.optional(z.enum(["shown"])), undefined),
  /** Start of the visible time, in microseconds after the start of the drawn trace. */
  from: microseconds,
  /** End of the visible time, in microseconds after the start of the drawn trace. */
  to: microseconds,
  /** The view of the trace; default: the waterfall. */
  view: z.catch(
    z.optional(z.enum(["flame", "graph", "statistics", "events", "conversation", "json"])),
    undefined,
  ),
  /**
   * Id of a span of the chosen group: in the flame graph it has the whole width, in a large graph it is in the
   * middle.
   */
  at: text,
  /** `all`: a large graph is drawn whole; absent: only the part around one box. */
  graph: z.catch(z.optional(z.enum(["all"])), undefined),
  /** The grouping of the statistics: `service`, or the key of an attribute; `operation` by default. */
  by: text,
  /** The order of the statistics; `self` by default. */
  sort: z.catch(z.optional(z.enum(statisticsColumns)), undefined),
  /** Filter of the events view: words that each event must contain. */
  events: text,
  /** The open panel beside the waterfall; absent: none. */
  panel: z.catch(z.optional(z.enum(["path", "repeats", "notes"])), undefined),
});

/** State of the trace page in its address. */
export type TraceAddress = z.infer<typeof traceAddress>;

/**
 * Changes fields of an address. The result has text fields, without fields that become undefined. The
 * router accepts the result as the new search part.
 */
export function changedAddress(
  address: TraceAddress,
  changes: { [Field in keyof TraceAddress]?: string | undefined },
): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [field, value] of Object.entries({ ...address, ...changes })) {
    if (value !== undefined) {
      fields[field] = String(value);
    }
  }
  return fields;
}
