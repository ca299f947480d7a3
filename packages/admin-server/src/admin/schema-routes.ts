import type { ConfigEngine } from "../core/engine/config-engine.ts";
import { isJsonArray, isJsonObject, member } from "../core/json/json-value.ts";
import type { ModuleRegistry } from "../core/modules/module-registry.ts";
import { ConfigSchema } from "../core/schema/config-schema.ts";
import { registryFor } from "../core/user-modules/load-user-modules.ts";
import { loggingSchema } from "../modules/logging/logging.ts";
import { adminSchema } from "./admin-config.ts";
import { type AdminReply, requireMethod } from "./admin-message.ts";
import type { AdminRoute } from "./admin-route.ts";

/** Members of the top level of a config with schemas of their own. */
export const configSections = { admin: adminSchema, logging: loggingSchema };

const headers = { "Content-Type": "application/schema+json" };

/** The modules that the running config has, its own ones too. @throws ServerError MODULE_LOAD */
function runningRegistry(engine: ConfigEngine, registry: ModuleRegistry): Promise<ModuleRegistry> {
  const names = isJsonObject(engine.config) ? member(engine.config, "modules") : undefined;
  return registryFor(registry, isJsonArray(names) ? names.map(String) : []);
}

/** `GET /config/schema`: JSON Schema of the config; `GET /config/schema/<module id>`: of one module. */
export function schemaRoutes(engine: ConfigEngine, registry: ModuleRegistry): AdminRoute[] {
  let last: { readonly registry: ModuleRegistry; readonly schema: ConfigSchema } | undefined;
  async function schema(): Promise<ConfigSchema> {
    const current = await runningRegistry(engine, registry);
    if (last?.registry !== current) {
      last = { registry: current, schema: new ConfigSchema(current, configSections) };
    }
    return last.schema;
  }
  const reply = (value: unknown): AdminReply => ({
    status: 200,
    headers,
    body: `${JSON.stringify(value)}\n`,
  });
  return [
    {
      path: "/config/schema",
      async handle(request) {
        requireMethod(request, "GET");
        return reply((await schema()).document());
      },
    },
    {
      path: "/config/schema/",
      async handle(request) {
        requireMethod(request, "GET");
        const id = request.path.slice("/config/schema/".length);
        return reply(id === "" ? (await schema()).document() : (await schema()).module(id));
      },
    },
  ];
}
