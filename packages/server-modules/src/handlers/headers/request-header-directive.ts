import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import { routeOf } from "serverfile/routes/route";
import type { Draft } from "serverfile/values/draft";
import { applyHeaderOperation } from "./header-operation.ts";

/**
 * `request_header [+|-]Field [value|search] [replacement]`: changes fields for later handlers. The operations equal the
 * operations of `header`, except `?` and deferring: the request is complete when the handler runs.
 * ```
 * request_header X-Forwarded-Proto https
 * ```
 * becomes
 * ```json
 * { "handler": "headers", "request": { "set": { "X-Forwarded-Proto": ["https"] } } }
 * ```
 */
export const requestHeader: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const matcher = takeMatcher(context);
  cursor.next();
  const field = cursor.argument().replace(/:$/, "");
  const value = cursor.nextArgument() ? cursor.value : "";
  const replacement = cursor.nextArgument() ? cursor.value : undefined;
  cursor.noMoreArguments();
  const draft: Draft = {};
  applyHeaderOperation(cursor, { draft, isResponse: false }, { field, value, replacement });
  return [routeResult(routeOf(matcher, { handler: "headers", request: draft }))];
};
