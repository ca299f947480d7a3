import type { ConfigAdapter } from "server-core/adapters/config-adapter";
import { json5Adapter } from "server-core/adapters/json5-adapter";
import { tomlAdapter } from "server-core/adapters/toml-adapter";
import { yamlAdapter } from "server-core/adapters/yaml-adapter";
import { standardModules } from "server-modules/standard";
import { serverfileAdapter } from "serverfile/serverfile-adapter";

/** Every config adapter of the server: the one list. */
export const standardAdapters: readonly ConfigAdapter[] = [
  json5Adapter,
  yamlAdapter,
  tomlAdapter,
  serverfileAdapter(standardModules),
];
