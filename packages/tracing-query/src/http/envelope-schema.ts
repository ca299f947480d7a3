import { z } from "zod";

export const partialReasonSchema = z
  .strictObject({
    kind: z.enum(["shard-away", "part-damaged", "list-cut"]),
    name: z
      .string()
      .describe("Number of the shard; or table and name of the part; or the list that was cut."),
    text: z.string().describe("A sentence for people."),
    startUnixMs: z
      .number()
      .optional()
      .describe("When the first of the missing spans starts, as far as that is known."),
    endUnixMs: z.number().optional(),
  })
  .meta({ id: "PartialReason" });

/** Schema of Jaeger's envelope. @param data schema of the result */
export function envelopeSchema<S extends z.ZodType>(data: S) {
  return z.strictObject({
    data,
    total: z.int().describe("Number of names in `data`; otherwise 0."),
    limit: z.literal(0),
    offset: z.literal(0),
    errors: z
      .array(
        z.strictObject({
          code: z.int().optional().describe("The status."),
          msg: z.string(),
          traceID: z.string().optional().describe("The trace that was not found."),
        }),
      )
      .nullable(),
    partial: z
      .literal(true)
      .optional()
      .describe("The store could not look at all that was asked for: `data` is what the rest has."),
    warnings: z.array(partialReasonSchema).optional().describe("Why the answer is partial."),
  });
}
