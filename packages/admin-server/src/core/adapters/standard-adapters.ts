import { serverfileAdapter } from "../../serverfile/serverfile-adapter.ts";
import type { ConfigAdapter } from "./config-adapter.ts";
import { json5Adapter } from "./json5-adapter.ts";
import { tomlAdapter } from "./toml-adapter.ts";
import { yamlAdapter } from "./yaml-adapter.ts";

/** Every config adapter of the server: the one list. */
export const standardAdapters: readonly ConfigAdapter[] = [
  json5Adapter,
  yamlAdapter,
  tomlAdapter,
  serverfileAdapter,
];
