import { z } from "zod";

/** The frame around every answer under `/api`. @param data what is asked for */
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
  });
}
