import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { StartError } from "lifecycle/errors";
import { AdapterRegistry } from "../core/adapters/adapter-registry.ts";
import { standardAdapters } from "../core/adapters/standard-adapters.ts";
import { messageOf, ServerError } from "../core/errors.ts";
import { encodeJson } from "../core/json/encode-json.ts";

const maxConfigBytes = 100 * 1024 * 1024;

/** The format of a file that nobody named. Source: the public model (Caddy 2.11) for its own text format */
function guessFormat(adapters: AdapterRegistry, name: string): string {
  const isServerfile = /^serverfile|\.serverfile$|^caddyfile|\.caddyfile$/i.test(name);
  return isServerfile ? "serverfile" : (adapters.nameForFile(name) ?? "json");
}

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

/**
 * Reads a configuration file for the command line. What an adapter warns of goes to standard error.
 * @param path "-" is standard input
 * @param adapter "" guesses from the file's name; what has no ending of a known format is JSON
 * @returns it as JSON
 * @throws StartError
 */
export async function readConfig(path: string, adapter: string): Promise<Uint8Array> {
  const adapters = new AdapterRegistry(standardAdapters);
  const format = adapter || guessFormat(adapters, basename(path));
  const bytes = await readBytes(path);
  if (format === "json") {
    return bytes;
  }
  try {
    const { result, warnings } = await adapters.adapt(format, bytes, { filename: path });
    for (const { file = path, line, message } of warnings) {
      process.stderr.write(`server: warning: ${file}${line === undefined ? "" : `:${line}`}: ${message}\n`);
    }
    return Buffer.from(encodeJson(result));
  } catch (error) {
    if (error instanceof ServerError) {
      throw new StartError(`--config ${path}: ${error.message}`, { cause: error });
    }
    throw error;
  }
}
