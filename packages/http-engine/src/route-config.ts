import { inlineModule, moduleMap, remembersDecoded } from "server-core/modules/config-fields";
import { z } from "zod";

export const routeSchema = remembersDecoded(
  z.strictObject({
    group: z.string().nullish().describe("After a match, the other routes of the same group are skipped."),
    match: z
      .array(moduleMap("http.matchers"))
      .nullish()
      .describe("Sets of matchers: all of a set must match, of one set at least. Absent: every request."),
    handle: z.array(inlineModule("http.handlers", "handler")).nullish().describe("The chain of handlers."),
    terminal: z.boolean().nullish().describe("Whether no route after this one is tried."),
  }),
);

/** A route in the form of the config. */
export type RouteConfig = z.infer<typeof routeSchema>;

/** Routes that the server has added to the routes of the config. */
const added = new WeakSet<RouteConfig>();

/** Marks a route that the server adds, so that the positions of the config's own routes do not change. */
export function addedRoute(route: RouteConfig): RouteConfig {
  added.add(route);
  return route;
}

/** True when {@link addedRoute} marked a route. */
export function isAddedRoute(route: RouteConfig): boolean {
  return added.has(route);
}
