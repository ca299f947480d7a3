import type { AdapterRegistry } from "../core/adapters/adapter-registry.ts";
import type { ConfigEngine } from "../core/engine/config-engine.ts";
import { messageOf, ServerError } from "../core/errors.ts";
import { isJsonArray, isJsonObject, type JsonValue, member } from "../core/json/json-value.ts";
import { parseJson } from "../core/json/parse-json.ts";
import type { ConfigFault } from "../core/modules/decode-config.ts";
import type { ModuleRegistry } from "../core/modules/module-registry.ts";
import { findFaults } from "../core/schema/find-faults.ts";
import { diffJson } from "../core/tree/json-diff.ts";
import { registryFor } from "../core/user-modules/load-user-modules.ts";
import { requireMethod } from "./admin-message.ts";
import type { AdminRoute } from "./admin-route.ts";
import { encodeWarnings, readPostedConfig } from "./posted-config.ts";
import { configSections } from "./schema-routes.ts";

interface Verdict {
  /** What a load would say; undefined when it would succeed. */
  readonly error: string | undefined;
  readonly faults: readonly ConfigFault[];
}

/** Everything the schemas say, else what the modules say when they are set up. */
async function judge(engine: ConfigEngine, registry: ModuleRegistry, config: JsonValue): Promise<Verdict> {
  let refusal: unknown;
  try {
    await engine.validate(config);
    return { error: undefined, faults: [] };
  } catch (error) {
    refusal = error;
  }
  const error = messageOf(refusal);
  const path = refusal instanceof ServerError ? refusal.path : undefined;
  try {
    const names = isJsonObject(config) ? member(config, "modules") : undefined;
    const modules = await registryFor(registry, isJsonArray(names) ? names.map(String) : []);
    const faults = findFaults(modules, configSections, config);
    return { error, faults: faults.length > 0 ? faults : [{ path: path ?? "/config", message: error }] };
  } catch {
    return { error, faults: [{ path: path ?? "/config", message: error }] };
  }
}

/**
 * `POST /validate`: whether a config, in any format, would run; ports are not tried. Answers with all that is wrong with
 * it and where, and with the difference to the running config as a JSON patch. Nothing changes.
 */
export function validateRoute(
  engine: ConfigEngine,
  adapters: AdapterRegistry,
  registry: ModuleRegistry,
): AdminRoute {
  return {
    path: "/validate",
    async handle(request) {
      requireMethod(request, "POST");
      const { json, warnings } = await readPostedConfig(adapters, request);
      const config = parseJson(json);
      const { error, faults } = await judge(engine, registry, config);
      const said = encodeWarnings(warnings);
      const parts = [
        ...(error === undefined
          ? ['"valid":true']
          : [`"valid":false,"error":${JSON.stringify(error)},"errors":${JSON.stringify(faults)}`]),
        ...(said === "" ? [] : [said]),
        `"changes":${JSON.stringify(diffJson(engine.config, config))}`,
      ];
      return {
        status: error === undefined ? 200 : 400,
        headers: { "Content-Type": "application/json" },
        body: `{${parts.join(",")}}\n`,
      };
    },
  };
}
