import { z } from "zod";

/**
 * Contains only settings of a site. The environment configures collector, queue and sampling, as in Caddy.
 */
export const tracingSchema = z.strictObject({
  span: z.string().nullish().describe("Name of the span; placeholders allowed (the method)."),
  span_attributes: z
    .record(z.string(), z.string())
    .nullish()
    .describe("Further attributes, set at the end of the request; placeholders allowed."),
});

export type TracingConfig = z.infer<typeof tracingSchema>;
