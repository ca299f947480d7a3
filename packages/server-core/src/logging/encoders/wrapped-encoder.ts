import type { JsonValue } from "../../json/json-value.ts";
import type { ModuleContext } from "../../modules/module-context.ts";
import { type LogEncoder, logEncoders } from "../log-modules.ts";
import { makeJsonEncoder } from "./json.ts";

/** Loads the inner encoder of an encoder; JSON when the config has none. */
export async function loadWrapped(
  config: Readonly<Record<string, unknown>> | null | undefined,
  context: ModuleContext,
): Promise<LogEncoder> {
  return config
    ? context.loadInline(logEncoders, "format", config as JsonValue, "wrap")
    : makeJsonEncoder({});
}
