import type { JsonValue } from "server-core/json/json-value";
import { valueAt } from "../json-lists.ts";
import { Members } from "../members.ts";
import type { ServerDraft } from "../sites/site-draft.ts";
import { inReadingOrder, RouteBlock } from "./route-block.ts";
import type { RouteWriter } from "./write-routes.ts";

/** Writes `&(name) { … }`: the directives of a subroute, or the handlers of a plain route. */
function namedRoute(route: JsonValue, path: string, writer: RouteWriter): RouteBlock {
  const members = new Members(route, path);
  const handlers = members.list("handle") ?? [];
  members.done("a named route");
  const [only, more] = handlers;
  const isList = more === undefined && valueAt(only, "handler") === "subroute";
  const block = isList
    ? writer.sorted(valueAt(only, "routes"), `${path}/handle/0/routes`)
    : writer.sorted([{ handle: handlers }], path);
  const placed = new RouteBlock(block.statements, true, writer.definitions);
  placed.listFirstGroup = block.listFirstGroup;
  return placed;
}

/**
 * Routes that servers share by name, in the order in which they were read. Where servers have different routes of one
 * name, the text differs from the config and is refused.
 * @param makeWriter makes a writer for one route: matchers of different routes may have the same name
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function namedRoutes(
  servers: readonly ServerDraft[],
  makeWriter: () => RouteWriter,
): [string, RouteBlock][] {
  const found = new Map<string, { readonly route: JsonValue; readonly path: string }>();
  for (const { members } of servers) {
    for (const [name, route] of members.child("named_routes")?.entries() ?? []) {
      found.set(name, { route, path: `${members.pathOf("named_routes")}/${name}` });
    }
  }
  const blocks = [...found].map(([name, { route, path }]) => {
    const block = namedRoute(route, path, makeWriter());
    return { name, block, groups: block.groups, firstGroup: block.firstGroup };
  });
  let next = 0;
  return inReadingOrder(blocks, 0).map(({ name, block, groups }) => {
    block.arrange(next);
    next += groups;
    return [name, block];
  });
}
