import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import { routeOf } from "serverfile/routes/route";

/**
 * `root [matcher] path`: a single argument is the path. Otherwise, a path such as `/srv` would be read as a matcher.
 * ```
 * root /srv/site
 * ```
 * becomes
 * ```json
 * { "handler": "vars", "root": "/srv/site" }
 * ```
 */
export const root: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const count = cursor.countRemainingArguments();
  if (count === 0) {
    throw cursor.error("too few arguments; must have at least a root path");
  }
  if (count > 2) {
    throw cursor.error("too many arguments; should only be a matcher and a path");
  }
  const matcher = count === 2 ? takeMatcher(context) : undefined;
  if (count === 2) {
    cursor.next();
  }
  const path = cursor.argument();
  return [routeResult(routeOf(matcher, { handler: "vars", root: path }))];
};
