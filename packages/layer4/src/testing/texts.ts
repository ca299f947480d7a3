import type { JsonValue } from "server-core/json/json-value";
import { standardModules } from "server-modules/standard";
import { adaptServerfile } from "serverfile/adapt-serverfile";
import { TextFeatures } from "serverfile/text-features";
import { toServerfile } from "serverfile/to-serverfile";
import { layer4Modules } from "../layer4-modules.ts";

const features = new TextFeatures([...standardModules, ...layer4Modules]);

/** For tests: the config of a serverfile. */
export function adaptText(text: string): JsonValue {
  return JSON.parse(JSON.stringify(adaptServerfile(Buffer.from(text), {}, features).result)) as JsonValue;
}

/** For tests: the serverfile of a config. */
export function textOfConfig(config: JsonValue): Promise<string> {
  return toServerfile(config, features);
}
