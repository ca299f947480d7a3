import type { TraceQuery } from "storage/api";
import { parseTraceId } from "wire/api-v2/id-texts";
import { parseDurationNano } from "../go-text/go-duration.ts";
import { parseInteger } from "../go-text/parse-number.ts";
import { QueryError } from "../query-error.ts";
import { defaultSearchLimit } from "../service/read-limits.ts";
import { parsedParam } from "./number-params.ts";

/** The parsed parameters of `GET /api/traces`: ids of traces, or a search when there are no ids. */
export interface SearchParams {
  /** 32 hex digits each, without repeats, in the order of the request. */
  readonly traceIds: readonly string[];
  readonly query: TraceQuery;
}

// Jaeger's default: the last two days.
const defaultLookbackMs = 48 * 3_600_000;

/** Creates the error of a parameter, in Jaeger's words. */
function bad(message: string, cause?: unknown): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", message, { cause });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @returns nanoseconds since the epoch, within 64 bits */
function timeParam(params: URLSearchParams, name: "start" | "end", defaultMs: number): bigint {
  const text = params.get(name) ?? "";
  if (text === "") {
    return BigInt(defaultMs) * 1_000_000n;
  }
  const nano = parsedParam(name, () => parseInteger(text, 64)) * 1_000n;
  const [min, max] = [-(2n ** 63n), 2n ** 63n - 1n];
  return nano < min ? min : nano > max ? max : nano;
}

/** A duration as Go writes it; absent means 0, which sets no limit. */
function durationParam(params: URLSearchParams, name: "minDuration" | "maxDuration"): bigint {
  const text = params.get(name) ?? "";
  return text === "" ? 0n : parsedParam(name, () => parseDurationNano(text));
}

/** Tags of `tag=key:value` and `tags={"key":"value"}`. A later tag replaces an earlier one with the same key. */
function tagParams(params: URLSearchParams): Map<string, string> {
  const tags = new Map<string, string>();
  for (const text of params.getAll("tag")) {
    const colon = text.indexOf(":");
    if (colon === -1) {
      throw bad(`malformed 'tag' parameter, expecting key:value, received: ${text}`);
    }
    tags.set(text.slice(0, colon), text.slice(colon + 1));
  }
  for (const text of params.getAll("tags")) {
    for (const [key, value] of parseTagsJson(text)) {
      tags.set(key, value);
    }
  }
  return tags;
}

/** Maximum number of traces to find. Zero and negative numbers count as absent, as in Jaeger. */
function limitParam(params: URLSearchParams): number {
  const text = params.get("limit") ?? "";
  const limit = text === "" ? 0 : Number(parseInteger(text, 32));
  return limit > 0 ? limit : defaultSearchLimit;
}

/**
 * Distinct ids in the order of the request. @throws QueryError QUERY_BAD_PARAMETER for an id that is not hex
 */
function traceIdParams(params: URLSearchParams): string[] {
  const ids = params.getAll("traceID").map((text) => {
    try {
      return parseTraceId(text);
    } catch (error) {
      throw bad(`cannot parse traceID param: ${messageOf(error)}`, error);
    }
  });
  return [...new Set(ids)];
}

/**
 * Parses the parameters of `GET /api/traces`: `service`, `operation`, `start`, `end` (microseconds since the epoch;
 * default: the last 48 hours), `tag` and `tags`, `limit` (default 100, also for values that are not positive),
 * `minDuration`, `maxDuration`, `traceID`. `lookback` and unknown names are ignored. Checks run in Jaeger's
 * order, because clients see only the first error.
 *
 * ```
 * ?service=shop&tag=region:west&limit=20
 * → {traceIds: [], query: {service: "shop", operation: "", tags: {region → west}, limit: 20, durationMinNano: 0n, …}}
 * ?traceID=beef
 * → {traceIds: ["0000000000000000000000000000beef"], query: …}
 * ```
 *
 * @param nowMs milliseconds since the epoch
 * @throws QueryError QUERY_BAD_PARAMETER
 */
export function parseSearchParams(params: URLSearchParams, nowMs: number): SearchParams {
  const service = params.get("service") ?? "";
  const startTimeMinUnixNano = timeParam(params, "start", nowMs - defaultLookbackMs);
  const startTimeMaxUnixNano = timeParam(params, "end", nowMs);
  const tags = tagParams(params);
  const limit = limitParam(params);
  const durationMinNano = durationParam(params, "minDuration");
  const durationMaxNano = durationParam(params, "maxDuration");
  const traceIds = traceIdParams(params);
  if (traceIds.length === 0 && service === "") {
    throw bad("parameter 'service' is required");
  }
  if (durationMinNano !== 0n && durationMaxNano !== 0n && durationMaxNano < durationMinNano) {
    throw bad("'maxDuration' should be greater than 'minDuration'");
  }
  return {
    traceIds,
    query: {
      service,
      operation: params.get("operation") ?? "",
      tags,
      startTimeMinUnixNano,
      startTimeMaxUnixNano,
      durationMinNano,
      durationMaxNano,
      limit,
    },
  };
}

/** The error of a tags parameter that cannot be read, in Go's words. */
function badTags(what: string, reason: string, cause?: unknown): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `malformed ${what}, cannot unmarshal JSON: ${reason}`, {
    cause,
  });
}

function wrongType(what: string, value: unknown, wanted: string): QueryError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return badTags(what, `json: cannot unmarshal ${type} into Go value of type ${wanted}`);
}

/** V8's error message, without the piece of the input that it may quote over several lines. */
function syntaxError(what: string, error: unknown): QueryError {
  const plain = messageOf(error).replace(/, ?(?:\.\.\.)?".*" is not valid JSON$/s, "");
  return badTags(what, plain.charAt(0).toLowerCase() + plain.slice(1), error);
}

/**
 * Reads a parameter of tags: a JSON object of strings. `null` in place of the object means no tags, and `null` as a
 * value means the empty text.
 * @param what name of the parameter, for errors
 * @throws QueryError QUERY_BAD_PARAMETER; a value of a wrong type in Jaeger's words, a syntax error in V8's
 */
export function parseTagsJson(text: string, what = "'tags' parameter"): [key: string, value: string][] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw syntaxError(what, error);
  }
  if (json === null) {
    return [];
  }
  if (typeof json !== "object" || Array.isArray(json)) {
    throw wrongType(what, json, "map[string]string");
  }
  return Object.entries(json).map(([key, value]) => {
    if (value !== null && typeof value !== "string") {
      throw wrongType(what, value, "string");
    }
    return [key, value ?? ""];
  });
}
