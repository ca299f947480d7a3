import { z } from "zod";
import { type EncodedDocument, encodeDocument } from "../json/encode-json.ts";
import { withoutIds } from "../json/id-index.ts";
import type { JsonValue } from "../json/json-value.ts";
import { refusePrototypeKey } from "../json/prototype-key.ts";
import { inlineModule } from "../modules/config-fields.ts";
import { decodeConfig } from "../modules/decode-config.ts";
import { LazyDocumentText } from "./lazy-document-text.ts";

/** Schema of a config's top level. Lower levels are decoded by the modules that own them. */
export const documentSchema = z
  .strictObject({
    admin: z.unknown().optional().describe("The admin endpoint."),
    logging: z.unknown().optional().describe("Logs: where they go, and how they are written."),
    storage: inlineModule("storage", "module")
      .nullish()
      .describe("Where certificates and keys rest: {module: file_system, root}."),
    modules: z
      .array(z.string())
      .nullish()
      .describe(
        "Modules of your own: paths of files, from the server's working folder, or names of npm packages.",
      ),
    apps: z.record(z.string(), z.unknown()).nullish().describe("Applications by name."),
  })
  .nullable();

/** The top level of a config, without `@id` members. Lower levels are decoded by the modules that own them. */
export interface ConfigDocument {
  /** The whole config, with `@id` members. */
  readonly config: JsonValue;
  /**
   * The config as `encodeJson` writes it; the getter may encode the config on first use. @throws ServerError
   * CONFIG_SYNTAX when encoding fails
   */
  readonly text: string;
  /** The client's text, if it arrived before `text` was encoded; otherwise undefined. */
  readonly sent: string | undefined;
  /** True when an object in the config has the member `@id`. */
  readonly hasIds: boolean;
  /** True: unchanged parts are created again too, because files that they read may have changed. */
  readonly force: boolean;
  /** Config of the admin endpoint; null when absent or no config is loaded. */
  readonly admin: JsonValue;
  /** Config of the logs; null when absent: the default log is used. */
  readonly logging: JsonValue;
  /** Config of the storage; null when absent: the default storage is used. */
  readonly storage: JsonValue;
  /** Files and packages of modules in addition to the built-in modules. */
  readonly modules: readonly string[];
  /** Configs of the apps by name; each app is provisioned separately. */
  readonly apps: ReadonlyMap<string, JsonValue>;
}

/**
 * @param encoded encoding of `config`, if it is known already
 * @throws ServerError MODULE_CONFIG for an unknown or unsupported field, and for a key `__proto__` at any depth
 */
export function decodeDocument(
  config: JsonValue,
  force = false,
  encoded: EncodedDocument = encodeDocument(config),
): ConfigDocument {
  const { hasIds, hasPrototypeKeys } = encoded;
  if (hasPrototypeKeys) {
    refusePrototypeKey(config, "/config");
  }
  const plain = hasIds ? withoutIds(config) : config;
  const document = decodeConfig(documentSchema, plain, "/config");
  const apps = Object.entries(document?.apps ?? {}) as [string, JsonValue][];
  return {
    config,
    get text() {
      return encoded.text;
    },
    sent: encoded instanceof LazyDocumentText ? encoded.sent : undefined,
    hasIds,
    force,
    admin: (document?.admin ?? null) as JsonValue,
    logging: (document?.logging ?? null) as JsonValue,
    storage: (document?.storage ?? null) as JsonValue,
    modules: document?.modules ?? [],
    apps: new Map(apps),
  };
}
