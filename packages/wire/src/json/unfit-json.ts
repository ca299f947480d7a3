import { WireError } from "../errors.ts";
import type { JsonTape } from "./json-tape.ts";

const openBrace = 0x7b;
const shownLength = 100;

/** The error for a value of a wrong type; it names the value's path. */
export function unfitJson(tape: JsonTape, token: number, wanted: string): WireError {
  const path = jsonPathOf(tape, token) || "the message";
  return new WireError("WIRE_MALFORMED", `${path} is ${shownJson(tape, token)}, not ${wanted}`);
}

/**
 * The path of a value with the sender's names, such as `resourceSpans[0].scopeSpans[2].spans`; "" for the
 * whole text.
 */
export function jsonPathOf(tape: JsonTape, wanted: number): string {
  let path = "";
  let container = 0;
  while (container !== wanted) {
    const isObject = tape.kind(container) === openBrace;
    let name = container + 1;
    let value = isObject ? name + 1 : name;
    let index = 0;
    while (tape.after(value) <= wanted) {
      name = tape.after(value);
      value = isObject ? name + 1 : name;
      index++;
    }
    if (isObject) {
      path += path === "" ? shown(tape.string(name)) : `.${shown(tape.string(name))}`;
    } else {
      path += `[${index}]`;
    }
    container = value;
  }
  return path;
}

/** A value for an error message, in one line of a bounded length. */
function shownJson(tape: JsonTape, token: number): string {
  switch (tape.kind(token)) {
    case openBrace:
      return "an object";
    case 0x5b:
      return "an array";
    case 0x22:
      return JSON.stringify(shown(tape.string(token)));
    default:
      return shown(tape.source(token));
  }
}

function shown(text: string): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}
