import { z } from "zod";
import { envelopeSchema } from "./envelope-schema.ts";

/** A trace id in the form of `/api`; its high half may be zero. */
const traceId = z.string().describe("16 hex digits when the high half is zero, otherwise 32.");

const spanId = z.string().describe("16 hex digits.");

const tag = z
  .strictObject({
    key: z.string(),
    type: z.enum(["string", "bool", "int64", "float64", "binary"]),
    value: z
      .union([z.string(), z.number(), z.boolean(), z.null()])
      .describe(
        "Integers past 2^53, NaN and infinities are strings, and so are bytes, in base64; no bytes are null.",
      ),
  })
  .meta({ id: "Tag" });

const micros = z.int().describe("Microseconds.");

const timeMicros = z.int().describe("Microseconds since the Unix epoch.");

const warnings = z.array(z.string()).nullable();

const span = z
  .strictObject({
    traceID: traceId,
    spanID: spanId,
    flags: z.int().optional(),
    operationName: z.string(),
    references: z
      .array(
        z.strictObject({ refType: z.enum(["CHILD_OF", "FOLLOWS_FROM"]), traceID: traceId, spanID: spanId }),
      )
      .describe("The parent first."),
    startTime: timeMicros,
    duration: micros,
    tags: z.array(tag),
    logs: z.array(z.strictObject({ timestamp: timeMicros, fields: z.array(tag) })),
    processID: z.string().describe("Key in the trace's `processes`."),
    warnings,
  })
  .meta({ id: "Span" });

const trace = z
  .strictObject({
    traceID: traceId,
    spans: z.array(span),
    processes: z.record(z.string(), z.strictObject({ serviceName: z.string(), tags: z.array(tag) })),
    warnings,
  })
  .meta({ id: "Trace" });

/** Traces as Jaeger's UI reads them. */
export const tracesEnvelopeSchema = envelopeSchema(z.array(trace)).meta({ id: "Traces" });
