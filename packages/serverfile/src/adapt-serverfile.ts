import {
  type AdaptedConfig,
  type AdapterWarning,
  type AdaptOptions,
  adapterText,
} from "server-core/adapters/config-adapter";
import { ServerError } from "server-core/errors";
import { buildConfig } from "./build-config.ts";
import { formattingWarning } from "./format/formatting-warning.ts";
import { parseSites } from "./parse/parse-sites.ts";
import type { TextFeatures } from "./text-features.ts";

/** Name of a serverfile that nobody named. */
const defaultFileName = "Serverfile";

/**
 * Turns a serverfile into the JSON config. Environment variables are those of the process; files that it imports are read.
 * @param features the texts of the server's modules
 * @throws ServerError CONFIG_ADAPTER with file and line
 */
export function adaptServerfile(
  bytes: Uint8Array,
  { filename = defaultFileName }: AdaptOptions,
  features: TextFeatures,
): AdaptedConfig {
  const text = adapterText(bytes);
  if (text === "") {
    throw new ServerError("CONFIG_ADAPTER", "EOF");
  }
  const warnings: AdapterWarning[] = [];
  const warn = (message: string) => warnings.push({ file: filename, message });
  const blocks = parseSites(text, filename, { environment: process.env, warn });
  const result = buildConfig(blocks, features);
  const unformatted = formattingWarning(filename, text);
  return { result, warnings: unformatted === undefined ? warnings : [...warnings, unformatted] };
}
