import { dirname, resolve } from "node:path";
import { readLimitedFile } from "../files/read-limited-file.ts";
import { type ParsedRules, PrivacyRulesError, parsePrivacyRules } from "./parse-privacy-rules.ts";
import type { PrivacyRules } from "./privacy-rule.ts";

const maxFileBytes = 1024 * 1024;
const maxKeyBytes = 4096;
/** Minimum key length in bytes; a shorter key could be found by trying all keys. */
const leastKeyBytes = 16;

/**
 * Reads a file of rules and its key.
 * @throws PrivacyRulesError with file, line and field; the message contains no secret
 */
export async function readPrivacyRules(
  path: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PrivacyRules> {
  const bytes = await readLimitedFile(path, maxFileBytes).catch((error: Error) => {
    throw new PrivacyRulesError(`${path}: ${error.message}`, { cause: error });
  });
  const parsed = parsePrivacyRules(bytes.toString(), path);
  const hashes = parsed.rules.findIndex(({ action }) => action === "hash");
  if (hashes < 0) {
    return { rules: parsed.rules, hashKey: undefined };
  }
  if (parsed.hashKey === undefined) {
    throw parsed.refuse(["rules", hashes, "action"], "hash needs a hash-key at the top of the file");
  }
  return { rules: parsed.rules, hashKey: await readKey(parsed, parsed.hashKey, path, environment) };
}

/**
 * Reads the key of `hash`, without a line feed at its end. Errors contain the name of the file, but not its contents.
 */
async function readKey(
  { refuse }: ParsedRules,
  from: NonNullable<ParsedRules["hashKey"]>,
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Buffer> {
  let key: Buffer;
  const member = "file" in from ? "file" : "environment";
  if ("file" in from) {
    const file = resolve(dirname(path), from.file);
    const text = await readLimitedFile(file, maxKeyBytes).catch((error: Error) => {
      throw refuse(["hash-key", member], `${file} ${error.message}`);
    });
    key = Buffer.from(text.toString("latin1").replace(/\r?\n$/, ""), "latin1");
  } else {
    key = Buffer.from(environment[from.environment] ?? "");
  }
  if (key.length < leastKeyBytes) {
    throw refuse(["hash-key", member], `the key has ${key.length} bytes; it needs ${leastKeyBytes} or more`);
  }
  return key;
}
