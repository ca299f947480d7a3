import type { TraceQlSearchQuery } from "storage/api";
import { parseDurationNano } from "../go-text/go-duration.ts";
import { parseInteger } from "../go-text/parse-number.ts";
import { QueryError } from "../query-error.ts";
import { parseSearchQuery } from "../service/parse-query.ts";
import type { ReadLimits } from "../service/read-limits.ts";
import { parseLogfmt } from "./logfmt.ts";
import { tagSearchQuery } from "./tag-search.ts";
import { secondsRange, uint32Param, withParameter } from "./time-params.ts";

/** Default limit of traces, the same as Tempo's. */
const defaultLimit = 20;
const defaultSpansPerSpanset = 3;

/**
 * The parameters of a search: `q` in TraceQL, or `tags` with `minDuration` and `maxDuration`; `start`, `end`,
 * `limit` and `spss`.
 * @param limits its limit of traces also bounds the default
 * @throws QueryError QUERY_BAD_PARAMETER with Tempo's text
 */
export function parseSearchParams(
  params: URLSearchParams,
  nowMs: number,
  limits: Partial<ReadLimits> = {},
): TraceQlSearchQuery {
  const text = params.get("q") ?? "";
  const tags = params.get("tags") ?? "";
  if (text !== "" && tags !== "") {
    throw bad("invalid request: can't specify tags and q in the same query", "tags");
  }
  const range = secondsRange(params, nowMs, limits);
  const minDurationNano = durationParam(params, "minDuration");
  const maxDurationNano = durationParam(params, "maxDuration");
  if (minDurationNano !== undefined && maxDurationNano !== undefined && minDurationNano > maxDurationNano) {
    throw bad("invalid maxDuration: must be greater than minDuration", "maxDuration");
  }
  const limit = countParam(params, "limit") ?? Math.min(defaultLimit, limits.maxTraces ?? Infinity);
  return {
    query:
      text === ""
        ? tagSearchQuery({ tags: parseLogfmt(tags), minDurationNano, maxDurationNano })
        : parseSearchQuery(text),
    range,
    limit,
    spansPerSpanset: countParam(params, "spss") ?? defaultSpansPerSpanset,
  };
}

/** A positive number that fits Tempo's 32-bit integer. */
function countParam(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name) ?? "";
  if (text === "") {
    return undefined;
  }
  const count = withParameter(name, `invalid ${name}: `, () => parseInteger(text, 64, "strconv.Atoi"));
  if (count <= 0n) {
    throw bad(`invalid ${name}: must be a positive number`, name);
  }
  return uint32Param(params, name);
}

function durationParam(params: URLSearchParams, name: string): bigint | undefined {
  const text = params.get(name) ?? "";
  return text === "" ? undefined : withParameter(name, `invalid ${name}: `, () => parseDurationNano(text));
}

function bad(message: string, parameter: string): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", message, { parameter });
}
