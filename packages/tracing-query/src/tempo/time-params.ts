import type { TimeRange } from "storage/api";
import { formatDurationNano, parseDurationNano } from "../go-text/go-duration.ts";
import { parseFloatText, parseInteger } from "../go-text/parse-number.ts";
import { quote } from "../go-text/quote.ts";
import { parseTimeNano } from "../go-text/rfc3339.ts";
import { QueryError } from "../query-error.ts";
import type { ReadLimits } from "../service/read-limits.ts";

// Units in nanoseconds.
const secondNano = 1_000_000_000n;
const minuteNano = 60n * secondNano;
const hourNano = 60n * minuteNano;
// Longest duration: about 292 years, the same as in Go. Longer durations are refused.
const maxInt64 = 2n ** 63n - 1n;

/**
 * Default range of a request without start and end. Tempo has this default for metrics, and searches recent data.
 */
const defaultRangeNano = hourNano;

/** Default length of a range: an hour, or the longest allowed range if shorter. */
function defaultLength(maxRangeNano: bigint | undefined): bigint {
  return maxRangeNano !== undefined && maxRangeNano < defaultRangeNano ? maxRangeNano : defaultRangeNano;
}

/** Maximum number of samples in a metrics query, the same as Tempo's. */
const maxSamples = 11_000n;

/**
 * An unsigned 32-bit integer; undefined when absent or empty.
 *
 * ```
 * limit=20   20
 * limit=-1   invalid limit: strconv.ParseUint: parsing "-1": invalid syntax
 * ```
 *
 * @throws QueryError QUERY_BAD_PARAMETER with Go's text, which clients of Tempo know
 */
export function uint32Param(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name) ?? "";
  if (text === "") {
    return undefined;
  }
  const value = withParameter(name, `invalid ${name}: `, () => {
    const parsed = parseInteger(text, 64, "strconv.ParseUint");
    if (parsed < 0n || /^[+-]/.test(text)) {
      throw new QueryError(
        "QUERY_BAD_PARAMETER",
        `strconv.ParseUint: parsing ${quote(text)}: invalid syntax`,
      );
    }
    if (parsed > 0xffffffffn) {
      throw new QueryError(
        "QUERY_BAD_PARAMETER",
        `strconv.ParseUint: parsing ${quote(text)}: value out of range`,
      );
    }
    return parsed;
  });
  return Number(value);
}

/**
 * `start` and `end` in seconds since the epoch; the last second is included. The default is the last hour.
 * @param limits its longest range also bounds the default range
 * @throws QueryError QUERY_BAD_PARAMETER with Tempo's text
 */
export function secondsRange(
  params: URLSearchParams,
  nowMs: number,
  { maxRangeNano }: Partial<ReadLimits> = {},
): TimeRange {
  const start = uint32Param(params, "start") ?? 0;
  const end = uint32Param(params, "end") ?? 0;
  if (start === 0 && end === 0) {
    const nowNano = BigInt(Math.trunc(nowMs)) * 1_000_000n;
    return { startUnixNano: nowNano - defaultLength(maxRangeNano), endUnixNano: nowNano };
  }
  if (end <= start) {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `http parameter start must be before end. received start=${start} end=${end}`,
      { parameter: "start" },
    );
  }
  return {
    startUnixNano: BigInt(start) * secondNano,
    endUnixNano: BigInt(end) * secondNano + secondNano - 1n,
  };
}

/**
 * `start` and `end`, or `since`, of a metrics query: seconds with or without a fraction, nanoseconds, or RFC
 * 3339. An end in the future becomes now.
 * @param limits its longest range also bounds the default range
 * @throws QueryError QUERY_BAD_PARAMETER with Tempo's text
 */
export function metricsRange(
  params: URLSearchParams,
  nowMs: number,
  { maxRangeNano }: Partial<ReadLimits> = {},
): TimeRange {
  const nowNano = BigInt(Math.trunc(nowMs)) * 1_000_000n;
  const sinceText = params.get("since") ?? "";
  // `since` counts back from the end, and `start` takes precedence over it.
  const sinceNano =
    sinceText === ""
      ? defaultLength(maxRangeNano)
      : withParameter("since", "could not parse 'since' parameter: ", () =>
          parsePrometheusDuration(sinceText),
        );
  const asked = timestampParam(params, "end") ?? nowNano;
  const endUnixNano = asked > nowNano ? nowNano : asked;
  const startUnixNano = timestampParam(params, "start") ?? endUnixNano - sinceNano;
  if (startUnixNano >= endUnixNano) {
    throw new QueryError("QUERY_BAD_PARAMETER", "end must be greater than start", { parameter: "end" });
  }
  return { startUnixNano, endUnixNano };
}

/**
 * `step`: seconds or a Go duration. The default gives about 240 samples.
 * @throws QueryError QUERY_BAD_PARAMETER for a malformed step, and for a step too short for the range
 */
export function stepParam(params: URLSearchParams, { startUnixNano, endUnixNano }: TimeRange): bigint {
  const text = params.get("step") ?? "";
  const lengthNano = endUnixNano - startUnixNano;
  const stepNano = text === "" ? defaultStep(lengthNano) : parseStep(text);
  const shortest = lengthNano / maxSamples;
  if (stepNano < shortest || stepNano < 1_000_000n) {
    const minimum = shortest > 1_000_000n ? shortest : 1_000_000n;
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `step of ${formatDurationNano(stepNano)} is too small, minimum step for given range is ${formatDurationNano(minimum)}`,
      { parameter: "step" },
    );
  }
  return stepNano;
}

/**
 * A round step, rounded down. Source: Tempo's documentation of TraceQL metrics.
 *
 * ```
 * 1h   15s        24h   6m → 5m        7d   42m → 40m
 * ```
 */
export function defaultStep(lengthNano: bigint): bigint {
  const wanted = lengthNano / 240n;
  const rounded = (unit: bigint) => (wanted / unit) * unit;
  if (lengthNano < minuteNano) {
    const unit = 50_000_000n;
    return wanted > unit ? rounded(unit) : unit;
  }
  for (const unit of [hourNano, 5n * minuteNano, minuteNano, 15n * secondNano, 5n * secondNano, secondNano]) {
    if (wanted > unit) {
      return rounded(unit);
    }
  }
  return secondNano;
}

/** Reads a step: "15s" or "15". @throws QueryError QUERY_BAD_PARAMETER for a negative or malformed step */
function parseStep(text: string): bigint {
  const fail = (reason: string) =>
    new QueryError("QUERY_BAD_PARAMETER", `cannot parse ${quote(text)}${reason}`, { parameter: "step" });
  let nano: bigint;
  if (/^[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?$/.test(text)) {
    const seconds = Number(text);
    if (!(Math.abs(seconds) * 1e9 <= Number(maxInt64))) {
      throw fail(" to a valid duration. It overflows int64");
    }
    nano = BigInt(Math.round(seconds * 1e9));
  } else {
    try {
      nano = parseDurationNano(text);
    } catch {
      throw fail(" to a valid duration");
    }
  }
  if (nano < 0n) {
    throw fail(": step must be positive");
  }
  return nano;
}

/**
 * A time of a metrics query; undefined when absent or empty. Up to ten digits are seconds, more are
 * nanoseconds.
 *
 * ```
 * 1795967689                  seconds
 * 1795967689.5                seconds with a fraction, rounded to milliseconds
 * 1795967689000000000         nanoseconds
 * 2026-11-29T15:54:49Z        RFC 3339
 * ```
 */
function timestampParam(params: URLSearchParams, name: string): bigint | undefined {
  const text = params.get(name) ?? "";
  if (text === "") {
    return undefined;
  }
  return withParameter(name, `could not parse '${name}' parameter: `, () => {
    if (/^-?[0-9]+\.[0-9]*$/.test(text)) {
      return checkedTime(BigInt(Math.round(parseFloatText(text) * 1_000)) * 1_000_000n, text);
    }
    if (/^[0-9]{4}-/.test(text)) {
      return parseTimeNano(text);
    }
    const number = parseInteger(text, 64);
    return text.length <= 10 ? number * secondNano : number;
  });
}

/** Refuses a time whose nanoseconds need more than 64 bits. */
function checkedTime(nano: bigint, text: string): bigint {
  if (BigInt.asIntN(64, nano) !== nano) {
    throw new QueryError(
      "QUERY_BAD_PARAMETER",
      `strconv.ParseFloat: parsing ${quote(text)}: value out of range`,
    );
  }
  return nano;
}

/** Units of Prometheus's durations, largest first. A duration must name its units in this order. */
const unitsNano: readonly (readonly [unit: string, nano: bigint])[] = [
  ["y", 365n * 24n * hourNano],
  ["w", 7n * 24n * hourNano],
  ["d", 24n * hourNano],
  ["h", hourNano],
  ["m", minuteNano],
  ["s", secondNano],
  ["ms", 1_000_000n],
];

/** `1d`, `1h30m`: whole numbers, each unit once, largest unit first. Source: Prometheus, "Time durations". */
export function parsePrometheusDuration(text: string): bigint {
  const pattern = new RegExp(`^${unitsNano.map(([unit]) => `(?:([0-9]+)${unit})?`).join("")}$`);
  const match = text === "0" ? [] : pattern.exec(text);
  if (match === null || text === "") {
    throw new QueryError("QUERY_BAD_PARAMETER", `not a valid duration string: ${quote(text)}`);
  }
  const nano = unitsNano.reduce((sum, [, unit], index) => sum + BigInt(match[index + 1] ?? "0") * unit, 0n);
  if (nano > maxInt64) {
    throw new QueryError("QUERY_BAD_PARAMETER", "duration out of range");
  }
  return nano;
}

/** Runs a parser, and prepends `words` to the text of its error. */
export function withParameter<T>(parameter: string, words: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QueryError("QUERY_BAD_PARAMETER", `${words}${reason}`, { cause: error, parameter });
  }
}
