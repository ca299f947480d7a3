import { configDuration } from "server-core/modules/config-fields";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";

/** Members that the app `cache` has in common with the handlers, as the plug-in of Caddy names them. */
export const sharedCacheFields = {
  ttl: configDuration()
    .nullish()
    .describe("The same as `default_ttl`, by the name of caddyserver/cache-handler."),
  stale: configDuration()
    .nullish()
    .describe("Taken for the plug-in's sake: what is no longer fresh stays while there is room."),
  default_cache_control: z
    .string()
    .regex(/^[ -~]*$/, { error: "default_cache_control has a character that no field can have" })
    .nullish()
    .describe("`Cache-Control` of responses that have none (none)."),
};

const schema = z.strictObject(sharedCacheFields);

/** Defaults for all handlers `cache` of a config. */
export type CacheDefaults = z.infer<typeof schema>;

/**
 * Defaults from the app `cache`. Without the app there are none. An invalid app config counts as absent, because the
 * app itself refuses the config.
 */
export function cacheDefaults(context: ModuleContext): CacheDefaults {
  return schema.safeParse(context.appConfig("cache") ?? {}).data ?? {};
}

/** The app `cache`: defaults of the handlers. Source: Caddy's plug-in (caddyserver/cache-handler) */
export const cacheApp = defineModule({
  id: "cache",
  config: schema,
  provision: (): App => ({ async start() {}, activate() {}, async stop() {} }),
});
