import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { StartError } from "lifecycle/errors";
import { AdapterRegistry } from "server-core/adapters/adapter-registry";
import type { AdapterWarning } from "server-core/adapters/config-adapter";
import { messageOf, ServerError, type TextPlace } from "server-core/errors";
import { encodeJson } from "server-core/json/encode-json";
import { parseJson } from "server-core/json/parse-json";
import { standardAdapters } from "../standard-adapters.ts";
import { configExcerpt } from "./config-excerpt.ts";

/** Maximum number of bytes of a configuration, as for bodies of the admin API. */
const maxConfigBytes = 100 * 1024 * 1024;

/** Default file names, in this order. Source: Caddy, for `Caddyfile` */
const defaultFiles = ["Serverfile", "Caddyfile"];

/** A configuration that cannot be parsed, with the faulty line beside the message. */
export class ConfigTextError extends StartError {
  /** The line with a caret below it, for printing; "" for an unknown line. */
  readonly excerpt: string;

  constructor(message: string, excerpt: string, cause: unknown) {
    super(message, { cause });
    this.excerpt = excerpt;
  }
}

/** The default configuration file in the working folder; undefined if there is none. */
export function findDefaultConfig(): string | undefined {
  return defaultFiles.find((name) => existsSync(name));
}

/** The file of `--config`, or else the default file. @throws StartError without any such file */
export function requireConfigFile(given: string): string {
  const file = given || findDefaultConfig();
  if (file === undefined) {
    throw new StartError(
      "there is no Serverfile in the working folder: name a configuration with --config <file>",
    );
  }
  return file;
}

/**
 * Guesses the format of a file without `--adapter`. Source: Caddy 2.11 for its own text
 * format
 */
function guessFormat(adapters: AdapterRegistry, name: string): string {
  const isServerfile = /^serverfile|\.serverfile$|^caddyfile|\.caddyfile$/i.test(name);
  return adapters.nameForFile(name) ?? (isServerfile && !/\.json$/i.test(name) ? "serverfile" : "json");
}

/** Reads a file or standard input. @throws StartError for an unreadable, empty or too large file */
async function readBytes(path: string): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = path === "-" ? await buffer(process.stdin) : await readFile(path);
  } catch (error) {
    throw new StartError(`--config: cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  if (bytes.length > maxConfigBytes) {
    throw new StartError(`--config: ${path} has ${bytes.length} bytes, over the limit of ${maxConfigBytes}`);
  }
  if (bytes.length === 0) {
    throw new StartError(`--config: ${path} is empty`);
  }
  return bytes;
}

/** Converts a byte offset in JSON to line and column. */
function placeInJson(bytes: Uint8Array, offset: number): TextPlace {
  const before = Buffer.from(bytes.subarray(0, Math.max(0, offset - 1))).toString("utf8");
  const lineStart = before.lastIndexOf("\n") + 1;
  return { file: undefined, line: before.split("\n").length, column: before.length - lineStart + 1 };
}

/**
 * The error for invalid JSON, with the faulty line. For a file without the extension `.json`, the error has a hint
 * about other formats.
 */
function jsonFault(path: string, adapter: string, bytes: Uint8Array, error: ServerError): ConfigTextError {
  const offset = /, at offset (\d+)$/.exec(error.message)?.[1];
  const place = offset === undefined ? undefined : placeInJson(bytes, Number(offset));
  const hint = adapter === "" && !/\.json$/i.test(path) ? "; --adapter names another format" : "";
  return new ConfigTextError(
    `--config ${path}: JSON is expected: ${error.message}${hint}`,
    place === undefined ? "" : configExcerpt(Buffer.from(bytes).toString("utf8"), place, process.stderr),
    error,
  );
}

export interface ReadConfig {
  /** The config as JSON. */
  readonly json: Uint8Array;
  readonly format: string;
  readonly warnings: readonly AdapterWarning[];
}

/**
 * Reads a configuration file for the command line.
 * `site.yaml` is read as YAML, `Serverfile` and `site.serverfile` as serverfiles, `config` as JSON.
 * @param path "-" is standard input
 * @param adapter name of the format; "": the format is guessed from the file name, and is JSON for an unknown extension
 * @throws StartError, ConfigTextError
 */
export async function readConfig(path: string, adapter: string): Promise<ReadConfig> {
  const adapters = new AdapterRegistry(standardAdapters);
  const format = adapter || guessFormat(adapters, basename(path));
  const bytes = await readBytes(path);
  try {
    if (format === "json") {
      parseJson(bytes);
      return { json: bytes, format, warnings: [] };
    }
    const { result, warnings } = await adapters.adapt(format, bytes, { filename: path });
    return { json: Buffer.from(encodeJson(result)), format, warnings };
  } catch (error) {
    if (!(error instanceof ServerError)) {
      throw error;
    }
    if (error.code === "CONFIG_SYNTAX") {
      throw jsonFault(path, adapter, bytes, error);
    }
    const { place } = error;
    const text =
      place?.file === undefined || place.file === path ? Buffer.from(bytes).toString("utf8") : undefined;
    throw new ConfigTextError(
      `--config ${path}: ${error.message}`,
      place === undefined ? "" : configExcerpt(text, place, process.stderr),
      error,
    );
  }
}

/** Prints the warnings of an adapter to standard error. */
export function printWarnings(path: string, warnings: readonly AdapterWarning[]): void {
  for (const { file = path, line, directive, message } of warnings) {
    const where = `${file}${line === undefined ? "" : `:${line}`}`;
    process.stderr.write(
      `server: warning: ${where}: ${directive === undefined ? "" : `${directive}: `}${message}\n`,
    );
  }
}
