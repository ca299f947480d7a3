// Routes inside a subroute are described instead of the subroute itself. For
//
//     { "match": [{ "host": ["a.example"] }],
//       "handle": [{ "handler": "subroute", "routes": [{ "handle": [{ "handler": "file_server" }] }] }] }
//
// the result is one route, with the host `a.example` and the handler `file_server`.

import { isJsonArray, isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import { formatJsonPointer } from "server-core/tree/json-pointer";

/** A route that answers or changes requests, including conditions of enclosing routes. */
export interface DescribedRoute {
  /** Key of the route in the threads' counters: `servers/s/routes/0`. */
  readonly key: string;
  /** JSON pointer to the route in the config. */
  readonly at: string;
  /** Name of the route's server in the config. */
  readonly server: string;
  /** `errors` for an error route; its name for a named route; "" for any other route. */
  readonly kind: string;
  /** Hosts that the route matches; empty for all. */
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  /** Names of the other matchers of the route. */
  readonly others: readonly string[];
  /** Handlers of the chain, outermost first. */
  readonly handlers: readonly string[];
  /** Upstreams of the chain's proxies. */
  readonly upstreams: readonly string[];
}

/** The parts that outer routes determine. */
type Inherited = Pick<
  DescribedRoute,
  "server" | "kind" | "hosts" | "paths" | "others" | "handlers" | "upstreams"
>;

/** The member of an object; undefined for a missing member, and for a value that is no object. */
function at(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? member(value, name) : undefined;
}

/** The list at a member; empty for any other value. */
function listAt(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  const found = at(value, name);
  return isJsonArray(found) ? found : [];
}

/** The entries of an object at a member; empty for any other value. */
function membersAt(value: JsonValue | undefined, name: string): [string, JsonValue][] {
  const found = at(value, name);
  return isJsonObject(found) ? Object.entries(found) : [];
}

const texts = (values: readonly JsonValue[]) => values.filter((value) => typeof value === "string");
const unique = (names: readonly string[]) => [...new Set(names)];

/** The values of a matcher in all sets; empty if any set lacks this matcher. */
function everySet(sets: readonly JsonValue[], name: string): string[] {
  const each = sets.map((set) => texts(listAt(set, name)));
  return each.some((values) => values.length === 0) ? [] : unique(each.flat());
}

/** Names of matchers other than host and path; `method` includes its values. */
function otherMatchers(sets: readonly JsonValue[]): string[] {
  const names = sets.flatMap((set) => (isJsonObject(set) ? Object.keys(set) : []));
  const methods = everySet(sets, "method");
  return unique(
    names
      .filter((name) => name !== "host" && name !== "path" && name !== "@id")
      .map((name) => (name === "method" && methods.length > 0 ? `method ${methods.join(" ")}` : name)),
  );
}

/** Dial addresses of a proxy, and the name of a dynamic source. */
function upstreamsOf(handler: JsonValue): string[] {
  const dials = listAt(handler, "upstreams").flatMap((upstream) => {
    const dial = at(upstream, "dial");
    return typeof dial === "string" ? [dial] : [];
  });
  const source = at(at(handler, "dynamic_upstreams"), "source");
  return typeof source === "string" ? [...dials, `dynamic ${source}`] : dials;
}

/** Name of a handler; a fixed response includes its status: `static_response 404`. */
function handlerText(handler: JsonValue): string {
  const name = String(at(handler, "handler") ?? "?");
  const status = at(handler, "status_code");
  return name === "static_response" && status !== undefined ? `${name} ${String(status)}` : name;
}

/** Describes a list of routes. @param key key of the list in the counters of threads @param path path in the config */
function* describeList(
  routes: readonly JsonValue[],
  key: string,
  path: readonly (string | number)[],
  around: Inherited,
): Iterable<DescribedRoute> {
  for (const [index, route] of routes.entries()) {
    yield* describeRoute(route, `${key}/${index}`, [...path, index], around);
  }
}

/** Describes the inner routes of a route, or the route itself if it has none. */
function* describeRoute(
  route: JsonValue,
  key: string,
  path: readonly (string | number)[],
  around: Inherited,
): Iterable<DescribedRoute> {
  const sets = listAt(route, "match");
  const handle = listAt(route, "handle");
  const isInner = (handler: JsonValue) =>
    at(handler, "handler") === "subroute" && listAt(handler, "routes").length > 0;
  const own = handle.filter((handler) => !isInner(handler));
  const [hosts, paths] = [everySet(sets, "host"), everySet(sets, "path")];
  const here: Inherited = {
    ...around,
    hosts: hosts.length > 0 ? hosts : around.hosts,
    paths: paths.length > 0 ? paths : around.paths,
    others: unique([...around.others, ...otherMatchers(sets)]),
    handlers: [...around.handlers, ...own.map(handlerText)],
    upstreams: unique([...around.upstreams, ...own.flatMap(upstreamsOf)]),
  };
  if (own.length === handle.length) {
    yield { ...here, key, at: formatJsonPointer(path.map(String)) };
    return;
  }
  for (const [position, handler] of handle.entries()) {
    if (!isInner(handler)) {
      continue;
    }
    const inner = `${key}/handle/${position}`;
    const place = [...path, "handle", position];
    yield* describeList(listAt(handler, "routes"), `${inner}/routes`, [...place, "routes"], here);
    const errors = listAt(at(handler, "errors"), "routes");
    const failed = { ...here, kind: "errors" };
    yield* describeList(errors, `${inner}/errors/routes`, [...place, "errors", "routes"], failed);
  }
}

/** The routes of all servers, in the order of the config. */
export function describeRoutes(config: JsonValue): DescribedRoute[] {
  const http = at(at(config, "apps"), "http");
  return membersAt(http, "servers").flatMap(([server, settings]) => {
    const nothing: Inherited = {
      ...{ server, kind: "", hosts: [], paths: [], others: [], handlers: [], upstreams: [] },
    };
    const place = ["apps", "http", "servers", server];
    const key = `servers/${server}`;
    const failed = { ...nothing, kind: "errors" };
    return [
      ...describeList(listAt(settings, "routes"), `${key}/routes`, [...place, "routes"], nothing),
      ...describeList(
        listAt(at(settings, "errors"), "routes"),
        `${key}/errors/routes`,
        [...place, "errors", "routes"],
        failed,
      ),
      ...membersAt(settings, "named_routes").flatMap(([name, route]) => [
        ...describeRoute(route, `${key}/named_routes/${name}/0`, [...place, "named_routes", name], {
          ...nothing,
          kind: name,
        }),
      ]),
    ];
  });
}
