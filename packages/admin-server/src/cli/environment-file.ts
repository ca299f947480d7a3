import { readFile } from "node:fs/promises";
import { StartError } from "lifecycle/errors";
import { messageOf } from "server-core/errors";

/** Maximum number of characters of an environment file. A longer file is an error. */
const maxFileBytes = 1024 * 1024;

/** A quoted value, which may span lines. @returns undefined without a closing quote */
function quotedValue(text: string): string | undefined {
  const quote = text[0] ?? "";
  for (let index = 1; index < text.length; index++) {
    if (text[index] === "\\" && text[index + 1] === quote) {
      index++;
    } else if (text[index] === quote) {
      return text.slice(0, index + 1);
    }
  }
  return undefined;
}

/**
 * Parses `KEY=value` lines, with empty lines, `#` comments, a leading `export`, and quoted values that may span lines
 * (`\"` is a literal quote). Variables are not expanded.
 * | line | variable |
 * |---|---|
 * | `A=1 # one` | `1` |
 * | `export B="x y"` | `x y` |
 * | `C='a\'b'` | `a'b` |
 * | `D=$A` | `$A` |
 * Source: Caddy 2.11; unlike there, a `#` within quotes starts no comment
 * @throws Error with the line
 */
export function parseEnvironmentFile(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  let rest = text.replaceAll("\r\n", "\n").replace(/^\ufeff/, "");
  let line = 0;
  while (rest !== "") {
    const end = rest.indexOf("\n");
    const current = end === -1 ? rest : rest.slice(0, end);
    line++;
    const trimmed = current.trim();
    if (trimmed === "" || trimmed.startsWith("#")) {
      rest = rest.slice(current.length + 1);
      continue;
    }
    const equals = current.indexOf("=");
    const key = current
      .slice(0, Math.max(0, equals))
      .trimStart()
      .replace(/^export\s+/, "");
    if (equals === -1) {
      throw new Error(`line ${line} is not of the form KEY=VALUE`);
    }
    if (key === "" || /\s/.test(key)) {
      throw new Error(`line ${line}: "${key}" is no name of a variable`);
    }
    const value = rest.slice(equals + 1);
    if (/^["']/.test(value)) {
      const quoted = quotedValue(value);
      if (quoted === undefined) {
        throw new Error(`line ${line}: the quote that opens the value of ${key} is never closed`);
      }
      const [quote = ""] = quoted;
      variables.set(key, quoted.slice(1, -1).replaceAll(`\\${quote}`, quote));
      const after = /^[ \t]*(#[^\n]*)?(\n|$)/.exec(value.slice(quoted.length));
      if (after === null) {
        throw new Error(`line ${line}: something follows the quoted value of ${key}`);
      }
      line += quoted.split("\n").length - 1;
      rest = value.slice(quoted.length + after[0].length);
      continue;
    }
    const plain = current.slice(equals + 1);
    if (/^[ \t]+[^ \t#]/.test(plain)) {
      throw new Error(`line ${line}: blanks stand before the value of ${key}`);
    }
    variables.set(key, (plain.split("#", 1)[0] ?? "").trim());
    rest = rest.slice(current.length + 1);
  }
  return variables;
}

/**
 * Adds the variables of files to the environment of this process. Existing variables are not replaced. @throws
 * StartError
 */
export async function loadEnvironmentFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    try {
      const text = await readFile(path, "utf8");
      if (text.length > maxFileBytes) {
        throw new Error(`${text.length} characters are over the limit of ${maxFileBytes}`);
      }
      for (const [name, value] of parseEnvironmentFile(text)) {
        process.env[name] ??= value;
      }
    } catch (error) {
      throw new StartError(`--envfile ${path}: ${messageOf(error)}`, { cause: error });
    }
  }
}
