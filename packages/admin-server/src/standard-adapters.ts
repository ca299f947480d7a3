import type { ConfigAdapter } from "server-core/adapters/config-adapter";
import { json5Adapter } from "server-core/adapters/json5-adapter";
import { tomlAdapter } from "server-core/adapters/toml-adapter";
import { yamlAdapter } from "server-core/adapters/yaml-adapter";
import { registryFor } from "server-core/user-modules/load-user-modules";
import { serverfileAdapter } from "serverfile/serverfile-adapter";
import { allModules } from "./all-modules.ts";

/** Every config adapter of the server: the one list. */
export const standardAdapters: readonly ConfigAdapter[] = [
  json5Adapter,
  yamlAdapter,
  tomlAdapter,
  serverfileAdapter(async (names) => (await registryFor(allModules(), names)).listed),
];
