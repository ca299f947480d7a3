import type { ConfigAdapter } from "server-core/adapters/config-adapter";
import { json5Adapter } from "server-core/adapters/json5-adapter";
import { tomlAdapter } from "server-core/adapters/toml-adapter";
import { yamlAdapter } from "server-core/adapters/yaml-adapter";
import { serverfileAdapter } from "serverfile/serverfile-adapter";

/**
 * Loads the modules for a text on first use, because most commands read no text.
 * @throws ServerError MODULE_LOAD
 */
async function modulesFor(names: readonly string[]) {
  const [{ allModules }, { registryFor }] = await Promise.all([
    import("./all-modules.ts"),
    import("server-core/user-modules/load-user-modules"),
  ]);
  return (await registryFor(allModules(), names)).listed;
}

/** All config adapters of the server. */
export const standardAdapters: readonly ConfigAdapter[] = [
  json5Adapter,
  yamlAdapter,
  tomlAdapter,
  serverfileAdapter(modulesFor),
];
