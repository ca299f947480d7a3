import { subrouteHandler } from "../routes/route.ts";
import { handlerDirective } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

/** `route { … }`: its directives run in the order of the text. */
export const route = handlerDirective((context) => subrouteHandler(readRoutes(context, false)));
