import { subrouteHandler } from "../routes/route.ts";
import type { Directive } from "./directive.ts";
import { readRoutes } from "./read-block.ts";

const status = "{http.error.status_code}";

/**
 * `handle_errors [404 5xx …] { … }`: routes for errors. If status codes are given, the routes are only for errors with
 * these codes. `handle_errors 404 5xx` gets the condition
 *
 *     {http.error.status_code} >= 500 && {http.error.status_code} <= 599 || {http.error.status_code} in [404]
 */
export const handleErrors: Directive = (context) => {
  const { cursor } = context;
  cursor.next();
  const conditions: string[] = [];
  const codes: string[] = [];
  let taken = 0;
  for (const word of cursor.remainingArguments()) {
    taken++;
    if (!/^(\d\d\d|\dxx)$/.test(word)) {
      throw cursor.error(`bad status value '${word}'`);
    }
    if (word.endsWith("xx")) {
      conditions.push(`${status} >= ${word[0]}00 && ${status} <= ${word[0]}99`);
    } else {
      codes.push(word);
    }
  }
  if (codes.length > 0) {
    conditions.push(`${status} in [${codes.join(", ")}]`);
  }
  if (taken > 0) {
    cursor.delete(taken);
  }
  cursor.reset();
  const handler = subrouteHandler(readRoutes(context, true));
  const match = conditions.length === 0 ? undefined : [{ expression: conditions.join(" || ") }];
  return [{ kind: "errorRoute", route: { match, handle: [handler] } }];
};
