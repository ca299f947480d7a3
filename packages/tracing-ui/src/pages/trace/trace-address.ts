import * as z from "zod/mini";

const text = z.catch(z.optional(z.string()), undefined);
/** A whole number of microseconds; absent when the text is none. */
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
/** The order when the address has none. */
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
  /** Ids of the folded spans likewise, or `all`: every span that has children; or a rule, such as `depth:2`. */
  fold: text,
  /** Ids of the first spans of unfolded runs of like siblings, or `all`. */
  runs: text,
  /** The filter. */
  q: text,
  /** `dim` when spans that the filter does not match are dimmed and not hidden. */
  others: z.catch(z.optional(z.enum(["dim"])), undefined),
  /** `shown` when idle gaps are drawn as long as they were. */
  gaps: z.catch(z.optional(z.enum(["shown"])), undefined),
  /** Start of the visible time, in microseconds after the start of the drawn trace. */
  from: microseconds,
  /** End of the visible time, likewise. */
  to: microseconds,
  /** How the trace is drawn; the waterfall by itself. */
  view: z.catch(
    z.optional(z.enum(["flame", "graph", "statistics", "events", "conversation", "json"])),
    undefined,
  ),
  /** Id of a span of the group that takes the whole width of the flame graph. */
  at: text,
  /** The grouping of the statistics: `service`, or the key of an attribute; `operation` by default. */
  by: text,
  /** The order of the statistics; `self` by default. */
  sort: z.catch(z.optional(z.enum(statisticsColumns)), undefined),
  /** Words that the events of the list must hold. */
  events: text,
  /** The panel beside the waterfall. */
  panel: z.catch(z.optional(z.enum(["path", "repeats", "notes"])), undefined),
});

/** State of the trace page in its address. */
export type TraceAddress = z.infer<typeof traceAddress>;

/**
 * An address with some of its fields changed, as texts. A field that becomes undefined is taken out. The
 * router takes such an object as the new search part.
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
