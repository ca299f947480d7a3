import type { JsonValue } from "server-core/json/json-value";
import { configDuration } from "server-core/modules/config-fields";
import { decodeConfig } from "server-core/modules/decode-config";
import { z } from "zod";
import { identitySchema } from "./identity/identity-config.ts";
import { pullSchema } from "./pull-config.ts";
import { remoteSchema } from "./remote-config.ts";

/**
 * The member `admin` of a config. The descriptions have defaults and limits in parentheses; `GET /config/schema` shows
 * them too. Members of Caddy keep their names; `history`, `mcp` and `ui` exist only here.
 */
export const adminSchema = z
  .strictObject({
    disabled: z.boolean().nullish().describe("No admin endpoint at all; only a restart brings it back."),
    listen: z.string().nullish().describe("One address; wins over the environment. Port ranges are refused."),
    enforce_origin: z.boolean().nullish().describe("Checks the origin of requests that name none, too."),
    origins: z
      .array(z.string())
      .nullish()
      .describe("Allowed origins, `host:port` or with a scheme; an empty list refuses everybody on TCP."),
    config: z
      .strictObject({
        persist: z.boolean().nullish().describe("Whether each config is saved for `run --resume` (true)."),
        load: pullSchema.nullish().describe("Fetches the config that then runs from elsewhere."),
        load_delay: configDuration()
          .nullish()
          .describe(
            "Waits so long before it fetches, and as long before each further try (0: at once, and once).",
          ),
      })
      .nullish(),
    history: z
      .strictObject({
        max_entries: z
          .int()
          .min(0)
          .max(10_000)
          .nullish()
          .describe("How many configs are kept (100); 0 keeps none."),
        max_bytes: z.int().min(0).nullish().describe("How many bytes of them together (64 MiB)."),
      })
      .nullish()
      .describe("The configs that ran, to look at and to go back to: GET /history."),
    mcp: z
      .strictObject({
        enabled: z.boolean().nullish().describe("Whether assistants are answered at `/mcp` (false)."),
        allow_changes: z
          .boolean()
          .nullish()
          .describe("Whether their tools may change the config, with the rights of the client (false)."),
      })
      .nullish()
      .describe("The Model Context Protocol, for assistants."),
    ui: z.boolean().nullish().describe("Whether the console is served at `/ui/` (true)."),
    identity: identitySchema.nullish().describe("How the server proves who it is."),
    remote: remoteSchema
      .nullish()
      .describe(
        "The admin endpoint for other machines, over TLS with client certificates; needs an identity.",
      ),
  })
  .nullable();

export type AdminConfig = NonNullable<z.infer<typeof adminSchema>>;

/** Parses the member `admin`; an absent member has all defaults. @throws ServerError MODULE_CONFIG with the path */
export function decodeAdminConfig(config: JsonValue): AdminConfig {
  return decodeConfig(adminSchema, config, "/config/admin") ?? {};
}
