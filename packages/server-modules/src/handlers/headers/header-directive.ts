import { type Directive, routeResult, takeMatcher } from "serverfile/directives/directive";
import { readResponseMatcher } from "serverfile/matchers/response-matcher";
import { routeOf } from "serverfile/routes/route";
import { canonicalHeader } from "serverfile/values/canonical-header";
import { childOf, type Draft, isEmptyDraft, ownMember, setMember } from "serverfile/values/draft";
import { applyHeaderOperation, type ResponseOperations } from "./header-operation.ts";

/**
 * Adds the conditions of `match` to a default (`?Field`), which is a handler of its own. A condition on the default's
 * own field contradicts the default, unless it requires the field's absence.
 */
function requireToo(cursor: { error(message: string): Error }, draft: Draft, matcher: Draft): void {
  const require = childOf(draft, "require");
  if (matcher.status_code !== undefined) {
    require.status_code = matcher.status_code;
  }
  const headers = typeof matcher.headers === "object" && matcher.headers !== null ? matcher.headers : {};
  for (const [field, values] of Object.entries(headers)) {
    const name = canonicalHeader(field);
    if (ownMember(childOf(draft, "set"), name) !== undefined) {
      if (values === null) {
        continue;
      }
      throw cursor.error(`cannot match on response header ${name} and also set a default for it`);
    }
    setMember(childOf(require, "headers"), field, values);
  }
}

/**
 * `header [+|-|?|>]Field [value|search] [replacement]`, or a block of such lines with `defer` and `match`.
 * | Word | Meaning |
 * |---|---|
 * | `Field value` | sets the field |
 * | `+Field value` | adds a value |
 * | `-Field` | deletes the field when the response is written |
 * | `?Field value` | sets the field unless the response has it |
 * | `>Field value` | sets the field when the response is written |
 * | `Field search replacement` | replaces matches of a regular expression |
 * ```
 * header {
 *   -Server
 *   ?Cache-Control max-age=60
 * }
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "handle": [
 *       { "handler": "headers", "response": { "delete": ["Server"], "deferred": true } },
 *       {
 *         "handler": "headers",
 *         "response": {
 *           "require": { "headers": { "Cache-Control": null } },
 *           "set": { "Cache-Control": ["max-age=60"] }
 *         }
 *       }
 *     ]
 *   }
 * ]
 * ```
 */
export const header: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const matcher = takeMatcher(context);
  cursor.next();
  const response: Draft = {};
  const defaults: Draft[] = [];
  let required: Draft | undefined;
  const apply = (field: string) => {
    const value = cursor.nextArgument() ? cursor.value : "";
    const replacement = cursor.nextArgument() ? cursor.value : undefined;
    let target: ResponseOperations = { draft: response, isResponse: true };
    if (field.startsWith("?")) {
      target = { draft: {}, isResponse: true };
      defaults.push(target.draft);
    }
    applyHeaderOperation(cursor, target, { field, value, replacement });
  };
  const hasArguments = cursor.nextArgument();
  if (hasArguments) {
    apply(cursor.value);
  }
  while (cursor.nextInBlock(0)) {
    const field = cursor.value;
    if (field === "defer") {
      response.deferred = true;
    } else if (field === "match") {
      required = readResponseMatcher(cursor.segmentCursor(), new Map());
    } else if (hasArguments) {
      throw cursor.error("cannot specify headers in both arguments and block");
    } else {
      apply(field.replace(/:$/, ""));
    }
  }
  if (required !== undefined) {
    response.require = required;
    for (const draft of defaults) {
      requireToo(cursor, draft, required);
    }
  }
  return [response, ...defaults]
    .filter((draft) => !isEmptyDraft(draft))
    .map((draft) => routeResult(routeOf(matcher, { handler: "headers", response: draft })));
};
