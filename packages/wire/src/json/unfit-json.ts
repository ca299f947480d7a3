import { WireError } from "../errors.ts";
import { jsonPathOf } from "./json-path.ts";
import type { JsonTape } from "./json-tape.ts";
import { shownText } from "./shown-text.ts";

const openBrace = 0x7b;

/**
 * The error for a value of a wrong type. Its message contains the path: `resourceSpans[0].resource is "x", not an
 * object`.
 */
export function unfitJson(tape: JsonTape, token: number, wanted: string): WireError {
  const path = jsonPathOf(tape, token) || "the message";
  return new WireError("WIRE_MALFORMED", `${path} is ${shownJson(tape, token)}, not ${wanted}`);
}

/** Text of a value for an error message: one line of limited length. */
function shownJson(tape: JsonTape, token: number): string {
  switch (tape.kind(token)) {
    case openBrace:
      return "an object";
    case 0x5b:
      return "an array";
    case 0x22:
      return JSON.stringify(shownText(tape.string(token)));
    default:
      return shownText(tape.source(token));
  }
}
