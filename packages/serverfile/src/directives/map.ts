import { type Draft, type DraftValue, onlyGiven } from "../values/draft.ts";
import { parseScalar } from "../values/parse-number.ts";
import { shorthandOf } from "../values/shorthands.ts";
import { handlerDirective } from "./directive.ts";

/** `map source destination… { input output…; ~regexp output…; default output… }`; the output `-` is none. */
export const map = handlerDirective(({ cursor }) => {
  cursor.next();
  const source = cursor.argument();
  const destinations = cursor.remainingArguments();
  if (destinations.length === 0) {
    throw cursor.error("missing destination argument(s)");
  }
  for (const destination of destinations) {
    const shorthand = shorthandOf(destination);
    if (shorthand !== undefined) {
      throw cursor.error(`destination ${shorthand} conflicts with a serverfile placeholder shorthand`);
    }
  }
  let defaults: string[] = [];
  const mappings: Draft[] = [];
  while (cursor.nextInBlock(0)) {
    if (cursor.value === "default") {
      if (defaults.length > 0) {
        throw cursor.error("defaults already defined");
      }
      defaults = cursor.remainingArguments();
      while (defaults.length < destinations.length) {
        defaults.push("");
      }
      continue;
    }
    const input = cursor.value;
    const outputs: DraftValue[] = [];
    while (cursor.nextArgument()) {
      const isQuoted = cursor.token?.quote !== "";
      const value = isQuoted ? cursor.value : parseScalar(cursor.value);
      outputs.push(value === "-" ? null : value);
    }
    if (outputs.length > destinations.length) {
      throw cursor.error("too many outputs");
    }
    while (outputs.length < destinations.length) {
      outputs.push(null);
    }
    mappings.push(
      onlyGiven(input.startsWith("~") ? { input_regexp: input.slice(1), outputs } : { input, outputs }),
    );
  }
  return onlyGiven({ handler: "map", source, destinations, mappings, defaults });
});
