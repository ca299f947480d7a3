import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import { routeOf } from "serverfile/routes/route";
import { onlyGiven } from "serverfile/values/draft";

/**
 * `rewrite [matcher] to`: a single argument is the target, even when it looks like a path matcher. If there are two
 * arguments, the first is a matcher.
 * ```
 * rewrite /old/* /new{path}?from=old
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "group": "group0",
 *     "match": [{ "path": ["/old/*"] }],
 *     "handle": [{ "handler": "rewrite", "uri": "/new{http.request.uri.path}?from=old" }]
 *   }
 * ]
 * ```
 */
export const rewrite: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const count = cursor.countRemainingArguments();
  if (count === 0) {
    throw cursor.error("too few arguments; must have at least a rewrite URI");
  }
  if (count > 2) {
    throw cursor.error("too many arguments; should only be a matcher and a URI");
  }
  const matcher = count === 2 ? takeMatcher(context) : undefined;
  if (count === 2) {
    cursor.next();
  }
  cursor.next();
  return [routeResult(routeOf(matcher, onlyGiven({ handler: "rewrite", uri: cursor.value })))];
};
