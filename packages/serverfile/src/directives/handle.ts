import { subrouteHandler } from "../routes/route.ts";
import { handlerDirective } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

/**
 * `handle { … }`: of several blocks, only the first matching one runs.
 * The groups of several blocks are created in routes/build-routes.ts.
 */
export const handle = handlerDirective((context) => subrouteHandler(readRoutes(context, true)));
