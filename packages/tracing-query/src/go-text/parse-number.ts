import { QueryError } from "../query-error.ts";
import { quote } from "./quote.ts";

function fail(text: string, reason: "invalid syntax" | "value out of range"): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `strconv.ParseInt: parsing ${quote(text)}: ${reason}`);
}

/**
 * Reads a decimal integer, with a sign or without.
 * @throws QueryError QUERY_BAD_PARAMETER in the words of Go's strconv.ParseInt, which clients of the public model know
 */
export function parseInteger(text: string, bits: 32 | 64): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    throw fail(text, "invalid syntax");
  }
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (BigInt.asIntN(bits, value) !== value) {
    throw fail(text, "value out of range");
  }
  return value;
}

/** True for the spellings of true that Go's strconv.ParseBool takes; false for everything else. */
export function isTrue(text: string): boolean {
  return /^(?:1|t|T|TRUE|true|True)$/.test(text);
}
