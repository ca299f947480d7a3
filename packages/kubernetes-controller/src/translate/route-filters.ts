import type { HeaderChange, PathModifier, RouteFilter } from "../cluster/gateway-object.ts";
import { literal, quoted, withoutEndSlash } from "./matchers.ts";
import type { Json } from "./snapshot.ts";

/** The match, and the listener that it is attached to, as far as filters need them. */
export interface FilterPlace {
  /** The path prefix that was matched; undefined when the match is of another kind. */
  readonly prefix: string | undefined;
  readonly scheme: "http" | "https";
  readonly port: number;
}

/** The filters of a rule or of a backend, as handlers. */
export interface FilterResult {
  /** Handlers in order. */
  readonly handle: Json[];
  /** True when a handler answers by itself. */
  readonly isFinal: boolean;
  /** Value of `Host` for the upstream. */
  readonly host?: string | undefined;
}

/** Error for a filter that the server does not support, or that is invalid. */
export class FilterError extends Error {
  override readonly name = "FilterError";
}

function headerOperations({ set = [], add = [], remove = [] }: HeaderChange): Json {
  const values = (list: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(
      [...Map.groupBy(list, ({ name }) => name)].map(([name, all]) => [
        name,
        all.map(({ value }) => literal(value)),
      ]),
    );
  return {
    ...(set.length === 0 ? {} : { set: values(set) }),
    ...(add.length === 0 ? {} : { add: values(add) }),
    ...(remove.length === 0 ? {} : { delete: remove.map(literal) }),
  };
}

/** Escapes a text, so that a replacement inserts it literally. */
const literalReplacement = (text: string) => literal(text).replaceAll("$", "$$$$");

function pathHandler(path: PathModifier, prefix: string | undefined): Json {
  if (path.type === "ReplaceFullPath") {
    return { handler: "rewrite", uri: literal(path.replaceFullPath || "/") };
  }
  if (path.type !== "ReplacePrefixMatch") {
    throw new FilterError(`path modifier ${path.type} is not supported`);
  }
  if (prefix === undefined) {
    throw new FilterError("ReplacePrefixMatch needs a match of the type PathPrefix");
  }
  const bare = quoted(withoutEndSlash(prefix));
  const replacement = withoutEndSlash(path.replacePrefixMatch ?? "/");
  const change =
    replacement === ""
      ? { find: `^${bare}/*`, replace: "/" }
      : { find: `^${bare}(/.*)?$`, replace: `${literalReplacement(replacement)}$1` };
  return { handler: "rewrite", path_regexp: [change] };
}

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443 };

function redirectHandlers({ requestRedirect = {} }: RouteFilter, place: FilterPlace): Json[] {
  const { scheme, hostname, path, port, statusCode = 302 } = requestRedirect;
  const toScheme = scheme ?? place.scheme;
  const toPort = port ?? (scheme === undefined ? place.port : (defaultPorts[scheme] ?? place.port));
  const suffix = toPort === defaultPorts[toScheme] ? "" : `:${toPort}`;
  const host = hostname === undefined ? "{http.request.host}" : literal(hostname);
  const location = `${toScheme}://${host}${suffix}{http.request.uri}`;
  return [
    ...(path === undefined ? [] : [pathHandler(path, place.prefix)]),
    { handler: "static_response", status_code: statusCode, headers: { Location: [location] } },
  ];
}

/** @throws FilterError for a filter that the server does not support, or that is invalid */
export function translateFilters(filters: readonly RouteFilter[], place: FilterPlace): FilterResult {
  const handle: Json[] = [];
  const final: Json[] = [];
  let host: string | undefined;
  for (const filter of filters) {
    switch (filter.type) {
      case "RequestHeaderModifier":
        handle.push({ handler: "headers", request: headerOperations(filter.requestHeaderModifier ?? {}) });
        break;
      case "ResponseHeaderModifier": {
        const response = { ...headerOperations(filter.responseHeaderModifier ?? {}), deferred: true };
        handle.push({ handler: "headers", response });
        break;
      }
      case "URLRewrite":
        host = filter.urlRewrite?.hostname ?? host;
        if (filter.urlRewrite?.path !== undefined) {
          handle.push(pathHandler(filter.urlRewrite.path, place.prefix));
        }
        break;
      case "RequestRedirect":
        final.push(...redirectHandlers(filter, place));
        break;
      default:
        throw new FilterError(`filter ${filter.type} is not supported`);
    }
  }
  return { handle: [...handle, ...final], isFinal: final.length > 0, host };
}
