import { isUtf8 } from "node:buffer";
import { WireError } from "../errors.ts";
import { maxAttributeDepth } from "../model/attribute.ts";

/** A span's value stands 12 levels deep; a kvlist in a kvlist adds four levels. */
const maxJsonDepth = 16 + 4 * maxAttributeDepth;
/** Of objects, arrays and what stands in them: `{}` becomes fifty times as large. A body of 20 MiB has fewer. */
const maxJsonParts = 2_000_000;
/** Ints of more digits may be rounded as a JavaScript number. */
const exactDigits = 15;
/** More digits than any 64-bit int has stay a number, which its reader refuses: a huge bigint would cost time. */
const int64Digits = /^-?\d{1,20}$/;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Parses JSON bytes with limits on depth and on the number of values. An int with more than 15 digits outside quotes becomes a bigint, exact;
 * every other number is a number.
 *
 * The look at the bytes before parsing is cheap beside it; it keeps deep nesting and values by the million from taking memory in the parser, and
 * the slow way of parsing (a reviver, called for every value) for the requests that need it.
 *
 * @throws WireError WIRE_MALFORMED when the bytes are not JSON in UTF-8; WIRE_TOO_DEEP past 416 levels;
 *   WIRE_TOO_LARGE past 2,000,000 brackets, braces and commas
 */
export function parseJsonExactly(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new WireError("WIRE_MALFORMED", "JSON is not UTF-8");
  const hasLongInts = scan(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return hasLongInts ? JSON.parse(text, exactInt) : JSON.parse(text);
  } catch (cause) {
    throw new WireError("WIRE_MALFORMED", `invalid JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Checks depth and number of values; true when a run of more than `exactDigits` digits stands outside quotes. */
function scan(bytes: Uint8Array): boolean {
  let depth = 0;
  let digits = 0;
  let parts = 0;
  let hasLongInts = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte >= 0x30 && byte <= 0x39) {
      if (++digits > exactDigits) hasLongInts = true;
      continue;
    }
    digits = 0;
    if (byte === quote) {
      index = closingQuote(bytes, index + 1);
      continue;
    }
    if (byte === 0x7b || byte === 0x5b || byte === comma) {
      if (++parts > maxJsonParts) {
        throw new WireError("WIRE_TOO_LARGE", `JSON has more values than the limit of ${maxJsonParts}`);
      }
    }
    if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxJsonDepth) {
        throw new WireError("WIRE_TOO_DEEP", `JSON is nested deeper than ${maxJsonDepth}`);
      }
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return hasLongInts;
}

function closingQuote(bytes: Uint8Array, start: number): number {
  let index = start;
  for (; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === quote) break;
    if (byte === backslash) index++;
  }
  return index;
}

function exactInt(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return int64Digits.test(source) ? BigInt(source) : value;
}
