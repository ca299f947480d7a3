import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import { messageOf, ServerError } from "server-core/errors";
import { isJsonArray, isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import { parseJson } from "server-core/json/parse-json";
import type { ConfigFault } from "server-core/modules/decode-config";
import type { ModuleRegistry } from "server-core/modules/module-registry";
import { findFaults } from "server-core/schema/find-faults";
import { diffJson } from "server-core/tree/json-diff";
import { registryFor } from "server-core/user-modules/load-user-modules";
import { encodeWarnings, readPostedConfig } from "./posted-config.ts";
import { configSections } from "./schema-routes.ts";

interface Verdict {
  /** The error that loading would give; undefined for a config that would run. */
  readonly error: string | undefined;
  /** All faults that schemas find, each with its path; loading a config reports only the first fault. */
  readonly faults: readonly ConfigFault[];
}

/**
 * Sets up the modules; if this fails, finds all faults of the schemas. If the schemas find none, the error of the
 * set-up is the only fault.
 */
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
 * `POST /validate`: checks that a config, in any format, would run, without opening ports. The response contains all
 * faults with their paths, and the difference to the running config as a JSON patch. The running config does not
 * change.
 *
 * | status | body |
 * |---|---|
 * | 200 | `{"valid":true,"changes":[…]}` |
 * | 400 | `{"valid":false,"error":"…","errors":[{"path":"/config/…","message":"…"}],"changes":[…]}` |
 * | 400 | `{"error":"…"}` for a body that is no config at all |
 *
 * Warnings of an adapter are a member `warnings`.
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
