import * as z from "zod/mini";

const text = z.catch(z.optional(z.string()), undefined);

/** Orders of the compared rows: as in the tree, or by what differs most. */
export const compareOrders = ["structure", "time", "count", "errors"] as const;
/** An order of the compared rows. */
export type CompareOrder = (typeof compareOrders)[number];

/** State of the compare page in its address. */
export const compareAddress = z.object({
  /** Id of the trace that one wonders about. */
  a: text,
  /** Id of the trace beside it; without it, the median of a search. */
  b: text,
  /** TraceQL of that search; without it, traces that begin as the first does. */
  q: text,
  /** Order of the rows; `time` by itself. */
  order: z.catch(z.optional(z.enum(compareOrders)), undefined),
});

/** State of the compare page in its address. */
export type CompareAddress = z.infer<typeof compareAddress>;
