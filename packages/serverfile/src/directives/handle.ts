import { subrouteHandler } from "../routes/route.ts";
import { handlerDirective } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

/**
 * `handle { … }`: of several, only the first that matches runs.
 * Groups of several are made in routes/build-routes.ts.
 */
export const handle = handlerDirective((context) => subrouteHandler(readRoutes(context, true)));
