import type { JsonValue } from "server-core/json/json-value";
import { parseScalar } from "../../values/parse-number.ts";
import { inexpressible } from "../inexpressible.ts";
import type { Word } from "./line.ts";

/** A word for a value of any type: a number is written without quotes, a text that looks like a number in quotes. */
export function scalarWord(value: JsonValue, path: string): Word {
  if (typeof value === "string") {
    return parseScalar(value) === value ? value : { quoted: value };
  }
  if (typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  throw inexpressible(path, "a text, a number, true or false is expected");
}
