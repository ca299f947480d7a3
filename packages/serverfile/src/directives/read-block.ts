import { errorWithin } from "server-core/errors";
import type { Segment } from "../lexer/token.ts";
import { TokenCursor } from "../lexer/token-cursor.ts";
import { readNamedMatcher } from "../matchers/named-matcher.ts";
import { buildRoutes } from "../routes/build-routes.ts";
import type { Route } from "../routes/route.ts";
import { type DirectiveResult, isRouteResult, type Placed } from "../routes/site-results.ts";
import type { DirectiveContext } from "./directive.ts";

/** `handle_path` is sorted and grouped with `handle`. */
export function sortedAs(directive: string): string {
  return directive === "handle_path" ? "handle" : directive;
}

/**
 * Reads the directives of the block at the cursor. Matchers that the block defines are valid only inside it. @throws
 * ServerError
 */
function readDirectives(context: DirectiveContext): Placed<DirectiveResult>[] {
  const { cursor } = context;
  const results: Placed<DirectiveResult>[] = [];
  while (cursor.next()) {
    cursor.noMoreArguments();
    const segments: Segment[] = [];
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      segments.push(cursor.nextSegment());
    }
    const matchers = new Map(context.matchers);
    const isMatcher = (segment: Segment) => segment[0]?.text.startsWith("@") === true;
    for (const segment of segments.filter(isMatcher)) {
      readNamedMatcher(new TokenCursor(segment), matchers, context.readModule);
    }
    for (const segment of segments) {
      if (isMatcher(segment)) {
        continue;
      }
      const name = segment[0]?.text ?? "";
      const directive = context.directives.get(name);
      if (directive === undefined) {
        throw new TokenCursor(segment).errorAtStart(
          `unrecognized directive: ${name} - are you sure your serverfile structure (nesting and braces) is correct?`,
        );
      }
      try {
        for (const result of directive({ ...context, cursor: new TokenCursor(segment), matchers })) {
          results.push({ directive: sortedAs(name), result });
        }
      } catch (error) {
        throw errorWithin(`parsing serverfile tokens for '${name}'`, error);
      }
    }
  }
  return results;
}

/**
 * Reads the routes of the block at the cursor.
 * @param sorted true to sort by the order of directives; false to keep the order of the text
 * @throws ServerError CONFIG_ADAPTER with file and line, also for a directive that is no handler
 */
export function readRoutes(context: DirectiveContext, sorted: boolean): Route[] {
  const results = readDirectives(context);
  const { order } = context.options;
  const stray = results.find(
    (placed) => !isRouteResult(placed) && !(sorted && order.includes(placed.directive)),
  );
  if (stray !== undefined) {
    throw context.cursor.error(
      sorted
        ? `directive '${stray.directive}' is not an ordered HTTP handler, so it cannot be used here - try placing within a route block or using the order global option`
        : `${stray.directive} directive returned something other than an HTTP route or subroute (only handler directives can be used in routes)`,
    );
  }
  return buildRoutes(results, context.groups, sorted ? order : undefined);
}
