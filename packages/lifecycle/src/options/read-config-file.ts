import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { StartError } from "../errors.ts";
import { parseProperties } from "./parse-properties.ts";

const maxConfigFileBytes = 1024 * 1024;

interface Format {
  readonly name: string;
  parse(text: string): unknown;
}

const yaml: Format = { name: "YAML or JSON", parse: parseYaml };
const properties: Format = { name: "properties", parse: parseProperties };
/** Formats by file extension, as in Jaeger; files with other extensions are YAML. */
const formats: ReadonlyMap<string, Format> = new Map([
  [".toml", { name: "TOML", parse: parseToml }],
  [".properties", properties],
  [".props", properties],
  [".prop", properties],
]);
const unreadFormats: ReadonlySet<string> = new Set([".hcl", ".tfvars", ".ini"]);

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
 * Reads a config file of at most 1 MiB. Its extension selects TOML or Java properties; files with other extensions are
 * YAML, which includes JSON. An option may have nested keys or a dotted key: `collector: {tags: a=b}` is
 * `collector.tags`. Lists become comma lists.
 * @returns option name → text
 * @throws StartError for a file that is missing, too large, no mapping, or in an unsupported format
 */
export function readConfigFile(path: string): Map<string, string> {
  const extension = extname(path).toLowerCase();
  if (unreadFormats.has(extension)) {
    throw new StartError(`--config-file: ${path} is not read: write it as YAML, JSON, TOML or properties`);
  }
  const format = formats.get(extension) ?? yaml;
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
    document = format.parse(text);
  } catch (error) {
    throw new StartError(
      `--config-file: ${path} is not ${format.name}: ${(error as Error).message.split("\n")[0]}`,
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
