import { QueryError } from "../query-error.ts";
import { quote } from "./quote.ts";

function fail(text: string, reason: "invalid syntax" | "value out of range", parser: string): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `${parser}: parsing ${quote(text)}: ${reason}`);
}

/**
 * Parses a decimal integer with an optional sign.
 * @param parser Go parser that Jaeger uses for this number
 * @throws QueryError QUERY_BAD_PARAMETER in the words of that parser, which clients of Jaeger know
 */
export function parseInteger(
  text: string,
  bits: 32 | 64,
  parser: "strconv.ParseInt" | "strconv.ParseUint" | "strconv.Atoi" = "strconv.ParseInt",
): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    throw fail(text, "invalid syntax", parser);
  }
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  if (BigInt.asIntN(bits, value) !== value) {
    throw fail(text, "value out of range", parser);
  }
  return value;
}

/** True for the spellings of true that Go's strconv.ParseBool accepts; false for everything else. */
export function isTrue(text: string): boolean {
  return /^(?:1|t|T|TRUE|true|True)$/.test(text);
}

/**
 * Parses a decimal number with an optional exponent, an infinity, or NaN.
 * @throws QueryError QUERY_BAD_PARAMETER in the words of Go's strconv.ParseFloat
 */
export function parseFloatText(text: string): number {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) {
    return text.startsWith("-") ? -Infinity : Infinity;
  }
  if (/^nan$/i.test(text)) {
    return Number.NaN;
  }
  const reason = !/^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text)
    ? "invalid syntax"
    : Number.isFinite(Number(text))
      ? undefined
      : "value out of range";
  if (reason !== undefined) {
    throw new QueryError("QUERY_BAD_PARAMETER", `strconv.ParseFloat: parsing ${quote(text)}: ${reason}`);
  }
  return Number(text);
}

/** Parses a boolean. @throws QueryError QUERY_BAD_PARAMETER in the words of Go's strconv.ParseBool */
export function parseBool(text: string): boolean {
  if (isTrue(text)) {
    return true;
  }
  if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) {
    return false;
  }
  throw new QueryError("QUERY_BAD_PARAMETER", `strconv.ParseBool: parsing ${quote(text)}: invalid syntax`);
}
