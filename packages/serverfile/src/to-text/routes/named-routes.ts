import { isJsonObject, type JsonValue } from "server-core/json/json-value";
import { inexpressible } from "../inexpressible.ts";
import { Members } from "../members.ts";
import type { ServerDraft } from "../sites/site-draft.ts";
import { inReadingOrder, RouteBlock } from "./route-block.ts";
import type { RouteWriter } from "./write-routes.ts";

/** Makes a writer for one route, since matchers of different routes may have the same name. */
type MakeWriter = () => RouteWriter;

/** `&(name) { … }`: the directives of a subroute, or the handlers of a plain route. */
function namedRoute(route: JsonValue, path: string, makeWriter: MakeWriter): RouteBlock {
  const members = new Members(route, path);
  const handlers = members.list("handle") ?? [];
  members.done("a named route");
  const [only, more] = handlers;
  const writer = makeWriter();
  const isList = more === undefined && isJsonObject(only) && only.handler === "subroute";
  const block = isList
    ? writer.sorted(only.routes, `${path}/handle/0/routes`)
    : writer.sorted([{ handle: handlers }], path);
  const placed = new RouteBlock(block.statements, true, writer.definitions);
  placed.listFirstGroup = block.listFirstGroup;
  return placed;
}

/**
 * Routes that servers share by name, in the order in which they were read.
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function namedRoutes(servers: readonly ServerDraft[], makeWriter: MakeWriter): [string, RouteBlock][] {
  const byName = new Map<string, JsonValue>();
  const paths = new Map<string, string>();
  for (const { members } of servers) {
    const named = members.child("named_routes");
    for (const [name, route] of named?.entries() ?? []) {
      const known = byName.get(name);
      const path = `${members.pathOf("named_routes")}/${name}`;
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(route)) {
        throw inexpressible(path, "a named route is the same in all servers");
      }
      byName.set(name, route);
      paths.set(name, path);
    }
  }
  const blocks = [...byName].map(([name, route]) => {
    const block = namedRoute(route, paths.get(name) ?? "", makeWriter);
    return { name, block, groups: block.groups, firstGroup: block.firstGroup };
  });
  let next = 0;
  return inReadingOrder(blocks, 0).map(({ name, block, groups }) => {
    block.arrange(next);
    next += groups;
    return [name, block];
  });
}
