import * as z from "zod/mini";

const text = z.catch(z.optional(z.string()), undefined);
const microseconds = z.catch(z.optional(z.coerce.number().check(z.int(), z.nonnegative())), undefined);

/**
 * What the address of the trace page says. Unreadable parts fall back to nothing; ids that are not in the
 * trace are passed over when the address is applied. The router checks an address again after it was checked,
 * so the schema takes its own output.
 */
export const traceAddress = z.object({
  /** Id of the selected span. */
  span: text,
  /** Ids of the spans whose details are open, with commas between them. */
  open: text,
  /** Ids of the folded spans likewise, or `all`: every span that has children. */
  fold: text,
  /** The text filter. */
  q: text,
  /** The visible time range, in microseconds after the trace's start. */
  from: microseconds,
  to: microseconds,
});

/** What the address of the trace page says. */
export type TraceAddress = z.infer<typeof traceAddress>;
