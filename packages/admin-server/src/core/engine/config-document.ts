import { z } from "zod";
import type { JsonValue } from "../json/json-value.ts";
import { notYet } from "../modules/config-fields.ts";
import { decodeConfig } from "../modules/decode-config.ts";
import { withoutIds } from "../tree/id-index.ts";
import { refusePrototypeKey } from "../tree/prototype-key.ts";

const documentSchema = z
  .strictObject({
    admin: z.unknown().optional().describe("The admin endpoint."),
    logging: notYet(),
    storage: notYet(),
    apps: z.record(z.string(), z.unknown()).nullish().describe("Applications by name."),
  })
  .nullable();

/** The top level of a config, `@id` members removed. What is below is decoded by whom it concerns. */
export interface ConfigDocument {
  /** null when absent, as when no config is loaded. */
  readonly admin: JsonValue;
  readonly apps: ReadonlyMap<string, JsonValue>;
}

/** @throws ServerError MODULE_CONFIG for an unknown or unsupported field, and for a key `__proto__` at any depth */
export function decodeDocument(config: JsonValue): ConfigDocument {
  refusePrototypeKey(config, "/config");
  const document = decodeConfig(documentSchema, withoutIds(config), "/config");
  const apps = Object.entries(document?.apps ?? {}) as [string, JsonValue][];
  return { admin: (document?.admin ?? null) as JsonValue, apps: new Map(apps) };
}
