import * as z from "zod/mini";

const attribute = z.object({
  key: z.string(),
  /** Type of the value: string, bool, int64, float64 or binary (base64). */
  type: z.string(),
  /** The value. An int64 beyond ±(2^53 − 1) is a string. */
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});

const reference = z.object({ refType: z.string(), traceID: z.string(), spanID: z.string() });

const span = z.object({
  traceID: z.string(),
  spanID: z.string(),
  operationName: z.string(),
  references: z.nullable(z.array(reference)),
  /** Microseconds since 1970; 0 for a span without a start, see `withStarts`. */
  startTime: z._default(z.number(), 0),
  /** Duration in microseconds. The field has unsigned 64 bits, so a negative duration arrives as a number near 2^64. */
  duration: z.number(),
  tags: z.nullable(z.array(attribute)),
  logs: z.nullable(z.array(z.object({ timestamp: z.number(), fields: z.array(attribute) }))),
  processID: z.string(),
  warnings: z.nullish(z.array(z.string())),
});

const process = z.object({ serviceName: z.string(), tags: z.nullable(z.array(attribute)) });

/** One trace as received from the query service. */
export const apiTrace = z.object({
  traceID: z.string(),
  spans: z.array(span),
  processes: z.record(z.string(), process),
  warnings: z.nullish(z.array(z.string())),
});

/** One trace as received from the query service. */
export type ApiTrace = z.infer<typeof apiTrace>;
/** One span as received from the query service. */
export type ApiSpan = z.infer<typeof span>;
/** A typed attribute of a span, an event or a process. */
export type ApiAttribute = z.infer<typeof attribute>;
