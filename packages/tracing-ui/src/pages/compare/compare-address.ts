import * as z from "zod/mini";

const text = z.catch(z.optional(z.string()), undefined);

/** Orders of the compared rows: as in the tree, or by the largest difference in time, count or errors. */
export const compareOrders = ["structure", "time", "count", "errors"] as const;
/** An order of the compared rows. */
export type CompareOrder = (typeof compareOrders)[number];

/** State of the compare page in its address. */
export const compareAddress = z.object({
  /** Id of the trace to investigate. */
  a: text,
  /** Id of the trace to compare with; absent: the median of a search. */
  b: text,
  /** TraceQL of the search for the median; absent: traces with the root operation of trace A. */
  q: text,
  /** Order of the rows; default `time`. */
  order: z.catch(z.optional(z.enum(compareOrders)), undefined),
});

/** State of the compare page in its address. */
export type CompareAddress = z.infer<typeof compareAddress>;
