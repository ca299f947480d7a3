import { layer4Modules } from "layer4/layer4-modules";
import { AdapterRegistry } from "server-core/adapters/adapter-registry";
import type { AdaptedConfig, AdaptOptions } from "server-core/adapters/config-adapter";
import type { JsonValue } from "server-core/json/json-value";
import { standardModules } from "server-modules/standard";
import { adaptServerfile as adaptWith } from "serverfile/adapt-serverfile";
import type { KnownText } from "serverfile/recent-texts";
import { TextFeatures } from "serverfile/text-features";
import { toServerfile as writeWith } from "serverfile/to-serverfile";
import { packagedModules } from "../all-modules.ts";
import { standardAdapters } from "../standard-adapters.ts";

/** For tests: the text features of the server's modules. */
export const standardFeatures = new TextFeatures([...standardModules, ...layer4Modules, ...packagedModules]);

/** For tests: the config of a serverfile. */
export function adaptServerfile(bytes: Uint8Array, options: AdaptOptions): AdaptedConfig {
  return adaptWith(bytes, options, standardFeatures);
}

/** For tests: the same, with the user's modules that the text names. */
export function adaptWithModules(bytes: Uint8Array): Promise<AdaptedConfig> {
  return new AdapterRegistry(standardAdapters).adapt("serverfile", bytes);
}

/** For tests: the serverfile of a config. */
export function toServerfile(config: JsonValue, known?: readonly KnownText[]): Promise<string> {
  return writeWith(config, standardFeatures, known);
}
