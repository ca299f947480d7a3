import { routeOf, subrouteHandler } from "../routes/route.ts";
import { onlyGiven } from "../values/draft.ts";
import { type Directive, routeResult, takeMatcher } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

/**
 * `handle_path /prefix/* { … }`: a `handle` that first removes the prefix from the path.
 * `handle_path /api/*` matches the path `/api/*` and removes `/api`.
 */
export const handlePath: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const path = cursor.argument();
  if (!path.startsWith("/")) {
    throw cursor.error(`path matcher must begin with '/', got ${path}`);
  }
  cursor.reset();
  cursor.next();
  takeMatcher(context);
  const strip = routeOf(
    undefined,
    onlyGiven({ handler: "rewrite", strip_path_prefix: path.replace(/\/?\*$/, "") }),
  );
  const routes = readRoutes(context, true);
  return [routeResult(routeOf({ path: [path] }, subrouteHandler([strip, ...routes])))];
};
