import type { GrpcRouteMatch, HttpRouteMatch } from "../cluster/gateway-object.ts";
import {
  exactMatcher,
  faultyPattern,
  headerMatchers,
  isRegexp,
  prefixMatcher,
  queryMatchers,
  quoted,
  withoutEndSlash,
} from "./matchers.ts";
import type { RouteRank } from "./site-listener.ts";
import type { Json } from "./snapshot.ts";

/** One match of a route's rule, for the server. */
export interface TranslatedMatch {
  readonly matcher: Json;
  readonly rank: Omit<RouteRank, "created" | "name" | "place">;
  /** The matched path prefix; undefined when the match is of another kind. */
  readonly prefix: string | undefined;
}

/** Error for a match that the server does not support, or that is invalid. */
export class MatchError extends Error {
  override readonly name = "MatchError";
}

function httpPath(type: string, value: string): { matcher: Json; kind: RouteRank["pathKind"] } {
  switch (type) {
    case "Exact":
      return { matcher: exactMatcher(value), kind: "exact" };
    case "PathPrefix":
      return { matcher: prefixMatcher(value), kind: "prefix" };
    case "RegularExpression": {
      // The whole path must match, as with other implementations.
      const pattern = `^(?:${value})$`;
      if (!isRegexp(pattern)) {
        throw new MatchError(`path ${value} is no regular expression`);
      }
      return { matcher: { path_regexp: { pattern } }, kind: "regexp" };
    }
    default:
      throw new MatchError(`path match ${type} is not supported`);
  }
}

/** @throws MatchError */
export function translateHttpMatch(match: HttpRouteMatch): TranslatedMatch {
  const { headers = [], queryParams = [], method } = match;
  const { type = "PathPrefix", value = "/" } = match.path ?? {};
  const { matcher, kind } = httpPath(type, value);
  const faulty = faultyPattern([...headers, ...queryParams]);
  if (faulty !== undefined) {
    throw new MatchError(`${faulty} is no regular expression`);
  }
  return {
    matcher: {
      ...matcher,
      ...(method === undefined ? {} : { method: [method] }),
      ...headerMatchers(headers),
      ...queryMatchers(queryParams),
    },
    rank: {
      pathKind: kind,
      pathLength: kind === "prefix" ? withoutEndSlash(value).length : value.length,
      hasMethod: method !== undefined,
      headers: headers.length,
      queryParams: queryParams.length,
    },
    prefix: kind === "prefix" ? value : undefined,
  };
}

function grpcPath({
  type = "Exact",
  service = "",
  method = "",
}: NonNullable<GrpcRouteMatch["method"]>): Json {
  if (type === "RegularExpression") {
    const pattern = `^/(?:${service || "[^/]+"})/(?:${method || "[^/]+"})$`;
    if (!isRegexp(pattern)) {
      throw new MatchError(`${service}/${method} is no regular expression`);
    }
    return { path_regexp: { pattern } };
  }
  if (type !== "Exact") {
    throw new MatchError(`method match ${type} is not supported`);
  }
  const part = (text: string) => (text === "" ? "[^/]+" : quoted(text));
  return { path_regexp: { pattern: `^/${part(service)}/${part(method)}$` } };
}

/**
 * Translates a match of a GRPCRoute. Exact matches of service and method come first, then longer services, longer
 * methods, and more headers. @throws MatchError
 */
export function translateGrpcMatch({ method, headers = [] }: GrpcRouteMatch): TranslatedMatch {
  const faulty = faultyPattern(headers);
  if (faulty !== undefined) {
    throw new MatchError(`${faulty} is no regular expression`);
  }
  const { service = "", method: name = "" } = method ?? {};
  const isWhole = service !== "" && name !== "" && (method?.type ?? "Exact") === "Exact";
  return {
    matcher: { ...(method === undefined ? {} : grpcPath(method)), ...headerMatchers(headers) },
    rank: {
      pathKind: isWhole ? "exact" : "prefix",
      pathLength: service.length * 1_000 + name.length,
      ...{ hasMethod: false, headers: headers.length, queryParams: 0 },
    },
    prefix: undefined,
  };
}
