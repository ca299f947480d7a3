import { QueryError } from "../query-error.ts";

// Units of Go's durations in nanoseconds.
const unitsNano: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5, micro sign
  μs: 1_000n, // U+03BC, Greek letter mu
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go's longest duration: about 292 years. */
const maxNano = 2n ** 63n - 1n;

/** Quotes a text byte by byte, as Go's time package does. Unlike strconv.Quote, it writes `µ` as `\xc2\xb5`. */
function quoteBytes(text: string): string {
  let quoted = "";
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte >= 0x80) {
      quoted += `\\x${byte.toString(16).padStart(2, "0")}`;
    } else {
      quoted += character === '"' || character === "\\" ? `\\${character}` : character;
    }
  }
  return `"${quoted}"`;
}

/** Makes the error of Go's time.ParseDuration. */
function bad(text: string): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `time: invalid duration ${quoteBytes(text)}`);
}

/**
 * Parses a duration in Go's form: `1.5s`, `300ms`, `2h45m`, `-1m`, `0`.
 * @returns nanoseconds, within 64 bits signed
 * @throws QueryError QUERY_BAD_PARAMETER in the words of Go's time.ParseDuration
 */
export function parseDurationNano(text: string): bigint {
  const negative = text.startsWith("-");
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") {
    return 0n;
  }
  if (rest === "") {
    throw bad(text);
  }
  let total = 0n;
  while (rest !== "") {
    const match = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/.exec(rest);
    const [whole, integer = "", fraction = "", unit = ""] = match ?? [""];
    if (integer === "" && fraction === "") {
      throw bad(text);
    }
    if (unit === "") {
      throw new QueryError("QUERY_BAD_PARAMETER", `time: missing unit in duration ${quoteBytes(text)}`);
    }
    const unitNano = unitsNano[unit];
    if (unitNano === undefined) {
      throw new QueryError(
        "QUERY_BAD_PARAMETER",
        `time: unknown unit ${quoteBytes(unit)} in duration ${quoteBytes(text)}`,
      );
    }
    // Digits of the fraction after the 18th are far below a nanosecond, even for hours, so they are cut.
    const digits = fraction.slice(0, 18);
    total +=
      BigInt(integer || "0") * unitNano + (BigInt(digits || "0") * unitNano) / 10n ** BigInt(digits.length);
    if (total > maxNano) {
      throw bad(text);
    }
    rest = rest.slice(whole.length);
  }
  return negative ? -total : total;
}

/** Writes a number of nanoseconds with a decimal point before the last `digits` digits, without trailing zeros. */
function decimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, "0");
  const fraction = digits === 0 ? "" : text.slice(-digits).replace(/0+$/, "");
  return fraction === "" ? text.slice(0, text.length - digits) : `${text.slice(0, -digits)}.${fraction}`;
}

/** Writes a duration as Go does: `-99.5µs`, `1.5s`, `2h45m0s`, `0s`. Source: Go's time.Duration.String. */
export function formatDurationNano(nano: bigint): string {
  const sign = nano < 0n ? "-" : "";
  const value = nano < 0n ? -nano : nano;
  if (value === 0n) {
    return "0s";
  }
  if (value < 1_000n) {
    return `${sign}${value}ns`;
  }
  if (value < 1_000_000n) {
    return `${sign}${decimal(value, 3)}µs`;
  }
  if (value < 1_000_000_000n) {
    return `${sign}${decimal(value, 6)}ms`;
  }
  const minutes = value / 60_000_000_000n;
  const seconds = `${decimal(value % 60_000_000_000n, 9)}s`;
  const hours = minutes / 60n;
  if (hours > 0n) {
    return `${sign}${hours}h${minutes % 60n}m${seconds}`;
  }
  return minutes > 0n ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}
