import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { StartError } from "../errors.ts";

const maxConfigFileBytes = 1024 * 1024;

function flatten(value: unknown, prefix: string, into: Map<string, string>): void {
  if (Array.isArray(value)) {
    into.set(prefix, value.map(String).join(","));
  } else if (value !== null && typeof value === "object") {
    for (const [key, child] of Object.entries(value)) {
      flatten(child, prefix === "" ? key : `${prefix}.${key}`, into);
    }
  } else if (value !== null && value !== undefined) {
    into.set(prefix, String(value));
  }
}

/**
 * Reads a config file, YAML or JSON (YAML contains JSON): nested keys and dotted keys name the same option,
 * so `collector: {tags: a=b}` is `collector.tags`. Lists become comma lists. At most 1 MiB.
 * @returns option name → text
 * @throws StartError when the file is absent, too large or not a mapping
 */
export function readConfigFile(path: string): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new StartError(`--config-file: cannot read ${path}: ${(error as Error).message}`, { cause: error });
  }
  if (text.length > maxConfigFileBytes) {
    throw new StartError(
      `--config-file: ${path} has ${text.length} bytes, over the limit of ${maxConfigFileBytes}`,
    );
  }
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new StartError(
      `--config-file: ${path} is not YAML or JSON: ${(error as Error).message.split("\n")[0]}`,
      {
        cause: error,
      },
    );
  }
  if (document !== null && (typeof document !== "object" || Array.isArray(document))) {
    throw new StartError(`--config-file: ${path} must be a mapping of option names to values`);
  }
  const values = new Map<string, string>();
  flatten(document, "", values);
  return values;
}
