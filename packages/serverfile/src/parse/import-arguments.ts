import { ServerError } from "server-core/errors";
import type { Token } from "../lexer/token.ts";

/** Maximum number of UTF-16 code units of a word with inserted arguments. A longer word is an error. */
const maxWordLength = 16 * 1024 * 1024;
/** Maximum number of characters of a key such as `args[0]`; a longer text is no key. */
const maxKeyLength = 64;
const indexed = /^args\[(.+)\]$|^args\.(.+)$/;
const wholeNumber = /^[+-]?\d+$/;

/**
 * The range of a token such as `{args[1:]}`, as `[1, count]`. @returns undefined for any other token, and for a range
 * outside the arguments
 */
function wholeRange(text: string, count: number): readonly [number, number] | undefined {
  if (!text.startsWith("{args[") || !text.endsWith("]}")) {
    return undefined;
  }
  const range = text.slice("{args[".length, -"]}".length);
  const colon = range.indexOf(":");
  if (colon === -1) {
    return undefined;
  }
  const start = range.slice(0, colon);
  const end = range.slice(colon + 1);
  const isBound = (bound: string) => bound === "" || wholeNumber.test(bound);
  if (!isBound(start) || !isBound(end)) {
    return undefined;
  }
  const from = start === "" ? 0 : Number(start);
  const to = end === "" ? count : Number(end);
  return from < 0 || from > to || to > count ? undefined : [from, to];
}

/** The argument for a key such as `args[0]` or `args.0`; undefined for any other key and for a missing argument. */
function argumentFor(key: string, values: readonly string[]): string | undefined {
  if (key.length > maxKeyLength) {
    return undefined;
  }
  const match = indexed.exec(key);
  const index = match?.[1] ?? match?.[2] ?? "";
  return wholeNumber.test(index) ? values[Number(index)] : undefined;
}

/** Index of the first unescaped `}` from the position `from`; -1 without such a brace. */
function closeFrom(text: string, from: number): number {
  let end = text.indexOf("}", from);
  while (end > 0 && end < text.length - 1 && text[end - 1] === "\\") {
    end = text.indexOf("}", end + 1);
  }
  return end;
}

/**
 * Replaces `{args[0]}` (or `{args.0}`) anywhere in a word; `\{` is a literal brace. `http://{args[0]}:80` with the
 * argument `a` becomes `http://a:80`. Placeholders with other names stay unchanged.
 */
function expandWord({ text, file, line }: Token, values: readonly string[]): string {
  if (!text.includes("{") && !text.includes("}")) {
    return text;
  }
  let expanded = "";
  let copied = 0;
  let unclosed = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if ((char === "{" || char === "}") && at > 0 && text[at - 1] === "\\") {
      expanded += text.slice(copied, at - 1);
      copied = at;
      continue;
    }
    if (char !== "{") {
      continue;
    }
    if (unclosed > 100) {
      return "";
    }
    if (end !== -1 && end <= at) {
      end = closeFrom(text, at); // otherwise `end` is still the next brace
    }
    if (end === -1) {
      unclosed++;
      continue;
    }
    const value = argumentFor(text.slice(at + 1, end), values);
    if (value !== undefined) {
      expanded += text.slice(copied, at) + value;
      if (expanded.length > maxWordLength) {
        throw new ServerError(
          "CONFIG_ADAPTER",
          `arguments make a word of more than the limit of ${maxWordLength} characters, at ${file}:${line}`,
        );
      }
      copied = end + 1;
      at = end;
    }
  }
  return expanded + text.slice(copied);
}

/**
 * Inserts the arguments of an import into a token. A range such as `{args[:]}` or `{args[1:]}` must be the whole token;
 * it becomes one token for each argument.
 */
export function expandArguments(token: Token, values: readonly string[]): readonly Token[] {
  const range = wholeRange(token.text, values.length);
  if (range !== undefined) {
    return values.slice(...range).map((text) => ({ ...token, text }));
  }
  const text = expandWord(token, values);
  return [text === token.text ? token : { ...token, text }];
}
