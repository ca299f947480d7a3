import type { JsonValue } from "server-core/json/json-value";
import { valueAt } from "../json-lists.ts";
import type { Line } from "../lines/line.ts";
import { Members } from "../members.ts";
import type { ServerDraft } from "../sites/site-draft.ts";
import { inReadingOrder, type RouteBlock } from "./route-block.ts";
import type { RouteWriter } from "./write-routes.ts";

/** The content of `&(name) { … }`: the directives of a subroute, or the handlers of a plain route. */
function namedRoute(route: JsonValue, path: string, writer: RouteWriter): RouteBlock {
  const members = new Members(route, path);
  const handlers = members.list("handle") ?? [];
  members.done("a named route");
  const [only, more] = handlers;
  const isList = more === undefined && valueAt(only, "handler") === "subroute";
  return isList
    ? writer.sorted(valueAt(only, "routes"), `${path}/handle/0/routes`)
    : writer.sorted([{ handle: handlers }], path);
}

/**
 * Writes the named routes of all servers, in the order in which they were read. If two servers have different routes with the same
 * name, the text does not adapt to the config and is refused.
 * @param makeWriter makes a writer for each route, because different routes may use the same name for different
 * matchers
 * @throws ServerError CONFIG_INEXPRESSIBLE
 */
export function namedRoutes(servers: readonly ServerDraft[], makeWriter: () => RouteWriter): Line[] {
  const found = new Map<string, { readonly route: JsonValue; readonly path: string }>();
  for (const { members } of servers) {
    for (const [name, route] of members.child("named_routes")?.entries() ?? []) {
      found.set(name, { route, path: `${members.pathOf("named_routes")}/${name}` });
    }
  }
  const blocks = [...found].map(([name, { route, path }]) => {
    const writer = makeWriter();
    const block = namedRoute(route, path, writer);
    return { name, writer, block, groups: block.groups, firstGroup: block.firstGroup };
  });
  let next = 0;
  return inReadingOrder(blocks, 0).map(({ name, writer, block, groups }) => {
    block.arrange(next);
    next += groups;
    return { words: [`&(${name})`], block: [...writer.definitions, ...block.lines] };
  });
}
