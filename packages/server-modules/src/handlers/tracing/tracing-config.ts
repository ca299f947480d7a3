import { z } from "zod";

/**
 * Only what a site decides. The collector, the queue and the sampling come from the environment, as in the
 * public model.
 */
export const tracingSchema = z.strictObject({
  span: z.string().nullish().describe("Name of the span; placeholders allowed (the method)."),
  span_attributes: z
    .record(z.string(), z.string())
    .nullish()
    .describe("Further attributes, set at the end of the request; placeholders allowed."),
});

/** The config after validation. */
export type TracingConfig = z.infer<typeof tracingSchema>;
