import { configDuration } from "server-core/modules/config-fields";
import { z } from "zod";

/**
 * `admin.config.load`: source of the config. Defaults are in parentheses.
 * Source: Caddy 2.11, its config loader `http`
 */
export const pullSchema = z.strictObject({
  module: z.literal("http").describe("How the config is fetched."),
  url: z.string().describe("Where it is."),
  method: z.string().nullish().describe("The request's method (GET)."),
  header: z.record(z.string(), z.array(z.string())).nullish().describe("Request headers."),
  timeout: configDuration().nullish().describe("How long the whole exchange may take (10s)."),
  adapter: z.string().nullish().describe("Format of what comes; when absent its Content-Type says."),
  tls: z
    .strictObject({
      use_server_identity: z
        .boolean()
        .nullish()
        .describe("Shows the certificate that `admin.identity` obtained; needs `load_delay`."),
      client_certificate_file: z.string().nullish().describe("PEM file shown to the server of the config."),
      client_certificate_key_file: z.string().nullish().describe("PEM file with its key."),
      root_ca_pem_files: z
        .array(z.string())
        .nullish()
        .describe("PEM files of authorities to trust (the system's)."),
    })
    .nullish()
    .describe("For https."),
});

export type PullConfig = z.infer<typeof pullSchema>;
