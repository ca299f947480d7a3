import { z } from "zod";
import { type EncodedDocument, encodeDocument } from "../json/encode-json.ts";
import { withoutIds } from "../json/id-index.ts";
import type { JsonValue } from "../json/json-value.ts";
import { refusePrototypeKey } from "../json/prototype-key.ts";
import { inlineModule } from "../modules/config-fields.ts";
import { decodeConfig } from "../modules/decode-config.ts";
import { LateText } from "./late-text.ts";

/** The top level of a config. Each part below is decoded by its owner. */
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

/** The top level of a config, without `@id` members. Lower levels are decoded by their owners. */
export interface ConfigDocument {
  /** The whole config as it stands in the tree. */
  readonly config: JsonValue;
  /**
   * The config as `encodeJson` writes it; it may be written only now. @throws ServerError CONFIG_SYNTAX when it
   * cannot be written
   */
  readonly text: string;
  /** The config as the client sent it, where that is known before `text`; undefined otherwise. */
  readonly sent: string | undefined;
  /** Whether an object in it has the member `@id`. */
  readonly hasIds: boolean;
  /** True: unchanged parts are made again too, because files that they name may have changed. */
  readonly force: boolean;
  /** null when absent, as when no config is loaded. */
  readonly admin: JsonValue;
  /** null when absent: the default log is used. */
  readonly logging: JsonValue;
  /** null when absent: the default one is taken. */
  readonly storage: JsonValue;
  /** Files and packages of modules beside the server's own. */
  readonly modules: readonly string[];
  /** Documents of the apps by name; each app is provisioned apart. */
  readonly apps: ReadonlyMap<string, JsonValue>;
}

/**
 * @param encoded of `config`, where it is known already
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
    sent: encoded instanceof LateText ? encoded.sent : undefined,
    hasIds,
    force,
    admin: (document?.admin ?? null) as JsonValue,
    logging: (document?.logging ?? null) as JsonValue,
    storage: (document?.storage ?? null) as JsonValue,
    modules: document?.modules ?? [],
    apps: new Map(apps),
  };
}
