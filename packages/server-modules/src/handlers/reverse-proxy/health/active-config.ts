import { configCount, configDuration } from "server-core/modules/config-fields";
import { z } from "zod";

/** Checks that are made whether there are requests or not. Source: the public model (Caddy 2.11) */
export const activeHealthSchema = z.strictObject({
  path: z.string().nullish().describe("Path to ask for; deprecated: `uri`."),
  uri: z.string().nullish().describe("Path and query to ask for (/)."),
  upstream: z.string().nullish().describe("Asks this address in place of each upstream's own."),
  port: z
    .int()
    .max(65_535)
    .transform((value) => Math.max(0, value))
    .nullish()
    .describe("Asks this port in place of each upstream's own."),
  headers: z
    .record(z.string(), z.array(z.string()))
    .nullish()
    .describe("Fields of the request; placeholders allowed."),
  method: z.string().nullish().describe("Method of the request (GET)."),
  body: z.string().nullish().describe("Body of the request; placeholders allowed."),
  follow_redirects: z.boolean().nullish().describe("Whether redirects to the same upstream are followed."),
  interval: configDuration().nullish().describe("Time between two checks (30s)."),
  timeout: configDuration().nullish().describe("Time for an answer (5s)."),
  passes: configCount().nullish().describe("Passes in a row after which an upstream is up again (1)."),
  fails: configCount().nullish().describe("Fails in a row after which an upstream is down (1)."),
  max_size: configCount().nullish().describe("Bytes of the answer that are looked at (0: 1 MiB)."),
  expect_status: configCount().nullish().describe("Status, or first digit of it, that passes (2xx)."),
  expect_body: z.string().nullish().describe("Regular expression, RE2, that the body must match."),
});

export type ActiveHealthConfig = z.infer<typeof activeHealthSchema>;
