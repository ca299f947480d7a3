import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { buffer } from "node:stream/consumers";
import { StartError } from "lifecycle";
import { messageOf } from "../core/errors.ts";

const maxConfigBytes = 100 * 1024 * 1024;

/**
 * Reads a configuration file for the command line.
 * @param path "-" is standard input
 * @param adapter "" guesses from the file's name, as the model: `Serverfile…` and `….serverfile` are not JSON
 * @throws StartError
 */
export async function readConfig(path: string, adapter: string): Promise<Uint8Array> {
  const name = basename(path);
  const guessed = /^serverfile|\.serverfile$|^caddyfile|\.caddyfile$/i.test(name) ? "serverfile" : "json";
  const format = adapter || guessed;
  if (format !== "json") {
    throw new StartError(
      `--config ${path}: unrecognized config adapter '${format}': only json is supported yet`,
    );
  }
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
