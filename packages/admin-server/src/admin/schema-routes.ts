import { type AdminReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { isJsonArray, isJsonObject, member } from "server-core/json/json-value";
import { loggingSchema } from "server-core/logging/logging";
import type { ModuleRegistry } from "server-core/modules/module-registry";
import { ConfigSchema } from "server-core/schema/config-schema";
import { registryFor } from "server-core/user-modules/load-user-modules";
import { adminSchema } from "./admin-config.ts";

/** Top-level members of a config that have their own schemas. */
export const configSections = { admin: adminSchema, logging: loggingSchema };

const headers = { "Content-Type": "application/schema+json" };

/** The modules of the running config, including user modules. @throws ServerError MODULE_LOAD */
function runningRegistry(engine: ConfigEngine, registry: ModuleRegistry): Promise<ModuleRegistry> {
  const names = isJsonObject(engine.config) ? member(engine.config, "modules") : undefined;
  return registryFor(registry, isJsonArray(names) ? names.map(String) : []);
}

/**
 * `GET /config/schema`: JSON Schema of the config; `GET /config/schema/<module id>`: schema of one module. Without user
 * modules, the schema is built only once, because building is slow, and editors request the schema often.
 */
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
