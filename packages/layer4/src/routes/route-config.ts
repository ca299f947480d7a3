import { configDuration, inlineModule, moduleMap } from "server-core/modules/config-fields";
import { z } from "zod";

/** Default limit of matching, in milliseconds. Source: caddy-l4, `MatchingTimeoutDefault` */
export const defaultMatchingMs = 3_000;

/** One route. Without `match` it applies to every connection; without `handle` it changes nothing. */
const routeSchema = z.strictObject({
  match: z
    .array(moduleMap("layer4.matchers"))
    .nullish()
    .describe("Sets of matchers; all of a set and one of the sets must match (any connection)."),
  handle: z
    .array(inlineModule("layer4.handlers", "handler"))
    .nullish()
    .describe("Handlers, in the order in which they run."),
});

export type RouteConfig = z.infer<typeof routeSchema>;

/** Routes of a server or a subroute, with the time limit of matching. */
export const routesShape = {
  routes: z
    .array(routeSchema)
    .nullish()
    .describe("Tried in order; the first that matches takes the connection."),
  matching_timeout: configDuration()
    .nullish()
    .describe("How long a client may take until the bytes are there that say its route (3s)."),
};
