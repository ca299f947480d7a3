import { QueryError } from "../query-error.ts";
import { quote } from "./quote.ts";

function fail(parser: string, text: string, reason: "invalid syntax" | "value out of range"): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `strconv.${parser}: parsing ${quote(text)}: ${reason}`);
}

/**
 * Reads a decimal integer, with a sign or without.
 * @throws QueryError QUERY_BAD_PARAMETER in the words of Go's strconv.ParseInt, which clients of the public model know
 */
export function parseInteger(text: string, bits: 32 | 64): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    throw fail("ParseInt", text, "invalid syntax");
  }
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (BigInt.asIntN(bits, value) !== value) {
    throw fail("ParseInt", text, "value out of range");
  }
  return value;
}

/**
 * Checks one half of an id: 1 to 16 hex digits of either case, no sign, no `0x`, no underscores.
 * @returns 16 lower-case hex digits
 * @throws QueryError QUERY_BAD_PARAMETER in the words of Go's strconv.ParseUint
 */
export function parseHex64(text: string): string {
  if (!/^[0-9a-fA-F]{1,16}$/.test(text)) {
    throw fail("ParseUint", text, "invalid syntax");
  }
  return text.toLowerCase().padStart(16, "0");
}

/** True for the spellings of true that Go's strconv.ParseBool takes; false for everything else. */
export function isTrue(text: string): boolean {
  return /^(?:1|t|T|TRUE|true|True)$/.test(text);
}
