import type { AttributeName, AttributeScope, CatalogValue, PartialAnswer, ReadOptions } from "storage/api";
import { attributeScopes } from "storage/api";
import type { Endpoint } from "../http/endpoint.ts";
import { QueryError } from "../query-error.ts";
import type { QueryService } from "../service/query-service.ts";
import { checkLimits, type ReadLimits } from "../service/read-limits.ts";
import { jobsOf } from "./search-json.ts";
import { tagFilter } from "./tag-filter.ts";
import { olderTagPlace, type TagPlace, tagPlace } from "./tag-identifier.ts";
import { secondsRange, uint32Param } from "./time-params.ts";

/** Default and maximum number of names in a scope, and of values. */
const defaultLimit = 1_000;
const maxLimit = 10_000;

/** The end of an answer: Tempo's counters, which show whether the list is complete. */
function metricsEnd(partial: PartialAnswer | undefined): string {
  return `"metrics":${JSON.stringify(partial === undefined ? {} : jobsOf(partial))}}`;
}

/** Notes that a list has more entries than the limit. */
function noteCut({ onPartial }: ReadOptions, name: string, limit: number): void {
  const more = limit < maxLimit ? `; "limit" can be up to ${maxLimit}` : "";
  onPartial?.({ kind: "list-cut", name, text: `the list of ${name} was cut at ${limit} entries${more}` });
}

/** The requested scopes in Tempo's order; all scopes without the parameter. */
function scopesParam(params: URLSearchParams): readonly AttributeScope[] {
  const text = params.get("scope") ?? "";
  if (text === "" || text === "none") {
    return attributeScopes;
  }
  const scope = attributeScopes.find((one) => one === text);
  if (scope === undefined) {
    throw new QueryError("QUERY_BAD_PARAMETER", `invalid scope: ${text.slice(0, 100)}`, {
      parameter: "scope",
    });
  }
  return [scope];
}

/** The client's limit of entries, at most `maxLimit`. Without the parameter, or with 0, `defaultLimit`. */
function limitParam(params: URLSearchParams): number {
  return Math.min(uint32Param(params, "limit") || defaultLimit, maxLimit);
}

/** Reads the parameters that all these endpoints share. */
function lookOf(params: URLSearchParams, limits: ReadLimits) {
  const range = secondsRange(params, Date.now(), limits);
  checkLimits(
    { limit: 1, startTimeMinUnixNano: range.startUnixNano, startTimeMaxUnixNano: range.endUnixNano },
    limits,
  );
  uint32Param(params, "maxStaleValues");
  return { range, limit: limitParam(params), ...tagFilter(params.get("q") ?? "") };
}

function countOf(names: readonly AttributeName[], scope: AttributeScope): number {
  return names.reduce((count, name) => (name.scope === scope ? count + 1 : count), 0);
}

/** Names of attributes on matching spans. */
export async function readNames(
  service: QueryService,
  limits: ReadLimits,
  params: URLSearchParams,
  read: ReadOptions,
): Promise<AttributeName[]> {
  const scopes = scopesParam(params);
  const [scope, ...others] = scopes;
  const look = lookOf(params, limits);
  const one = others.length === 0 && scope !== undefined ? { scope } : {};
  const find = (limit: number) => service.search.attributeNames({ ...look, ...one, limit }, read);
  const found = await find(look.limit);
  const full = attributeScopes.filter((place) => countOf(found, place) === look.limit);
  if (full.length > 0) {
    // Names are sorted by text, so the rarest of limit + 1 names could not be removed afterwards. A second read checks
    // for more.
    const more = await find(look.limit + 1);
    for (const place of full.filter((each) => countOf(more, each) > look.limit)) {
      noteCut(read, `names of ${place} attributes`, look.limit);
    }
  }
  return found;
}

/** The answer of version 2: names by scope, without empty scopes. */
export function namesByScope(names: readonly AttributeName[]): { name: string; tags: string[] }[] {
  return attributeScopes.flatMap((scope) => {
    const tags = names.flatMap((found) => (found.scope === scope ? [found.name] : []));
    return tags.length === 0 ? [] : [{ name: scope, tags }];
  });
}

/** The answer of version 1: names in one list. Intrinsic names are listed on request only. */
export function allNames(names: readonly AttributeName[], params: URLSearchParams): string[] {
  const isAsked = params.get("scope") === "intrinsic";
  const wanted = names.flatMap(({ scope, name }) => (isAsked || scope !== "intrinsic" ? [name] : []));
  return [...new Set(wanted)].sort();
}

/** The answer of version 1: values as text. */
export function textsOf(values: readonly CatalogValue[]): string[] {
  return [...new Set(values.map(({ value }) => value))].sort();
}

/** `GET /api/v2/search/tags`: names of attributes by scope. */
export function tagsV2Endpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const scopes = namesByScope(await readNames(service, limits, params, read));
    return [`{"scopes":${JSON.stringify(scopes)},${metricsEnd(read.reasons.partial)}`];
  };
}

/** `GET /api/search/tags`: names in one list. Intrinsic names are listed on request only. */
export function tagsEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, read }) => {
    const names = allNames(await readNames(service, limits, params, read), params);
    return [`{"tagNames":${JSON.stringify(names)},${metricsEnd(read.reasons.partial)}`];
  };
}

/** Parameters of the request, and options of its reads. */
interface ValuesRead {
  readonly params: URLSearchParams;
  readonly read: ReadOptions;
}

/** The most frequent values of all scopes together. */
export async function readValues(
  service: QueryService,
  limits: ReadLimits,
  { scopes, name }: TagPlace,
  { params, read }: ValuesRead,
): Promise<CatalogValue[]> {
  const look = lookOf(params, limits);
  const found = await Promise.all(
    scopes.map((scope) =>
      service.search.attributeValues({ ...look, scope, name, limit: look.limit + 1 }, read),
    ),
  );
  const sums = new Map<string, CatalogValue>();
  for (const value of found.flat()) {
    const key = `${value.type} ${value.value}`;
    const sum = (sums.get(key)?.count ?? 0) + (value.count ?? 0);
    sums.set(key, { ...value, count: sum });
  }
  if (sums.size > look.limit) {
    noteCut(read, `values of ${name}`, look.limit);
  }
  return [...sums.values()].sort((one, other) => (other.count ?? 0) - (one.count ?? 0)).slice(0, look.limit);
}

/** `GET /api/v2/search/tag/{tag}/values`: typed values of a TraceQL identifier. */
export function tagValuesV2Endpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, pathPart, read }) => {
    const values = await readValues(service, limits, tagPlace(pathPart("tag")), { params, read });
    const shown = values.map(({ type, value }) => ({ type, value }));
    return [`{"tagValues":${JSON.stringify(shown)},${metricsEnd(read.reasons.partial)}`];
  };
}

/** `GET /api/search/tag/{tag}/values`: values as text, for a tag without a scope. */
export function tagValuesEndpoint(service: QueryService, limits: ReadLimits): Endpoint {
  return async ({ params, pathPart, read }) => {
    const values = await readValues(service, limits, olderTagPlace(pathPart("tag")), { params, read });
    return [`{"tagValues":${JSON.stringify(textsOf(values))},${metricsEnd(read.reasons.partial)}`];
  };
}
