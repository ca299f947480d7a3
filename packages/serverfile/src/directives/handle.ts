import { subrouteHandler } from "../routes/route.ts";
import { handlerDirective } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

/**
 * `handle { … }`: if a site has several such blocks, only the first matching block runs. The groups of several blocks
 * are created in routes/build-routes.ts.
 */
export const handle = handlerDirective((context) => subrouteHandler(readRoutes(context, true)));
