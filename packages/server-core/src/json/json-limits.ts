import { ServerError } from "../errors.ts";
import { maxJsonDepth } from "./encode-json.ts";

/** How many values a document may hold, nested ones counted. Far over any real config; each costs more memory than bytes. */
export const maxJsonValues = 1_000_000;

/**
 * Holds bytes to the limits of a document before anything is made of them: a parser pays for each level and each value
 * with memory of its own. Counts brackets and commas outside of strings; whether the bytes are JSON is not looked at.
 * @throws ServerError CONFIG_SYNTAX past {@link maxJsonDepth} or {@link maxJsonValues}
 */
export function checkJsonLimits(bytes: Uint8Array): void {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === 0x5c) {
        index++; // the escaped character ends nothing
      } else if (byte === 0x22) {
        inString = false;
      }
      continue;
    }
    if (byte === 0x22) {
      inString = true;
    } else if (byte === 0x5b || byte === 0x7b) {
      depth++;
      values++;
      if (depth > maxJsonDepth) {
        throw new ServerError("CONFIG_SYNTAX", `nested deeper than the limit of ${maxJsonDepth} levels`);
      }
    } else if (byte === 0x5d || byte === 0x7d) {
      depth--;
    } else if (byte === 0x2c) {
      values++;
    }
    if (values > maxJsonValues) {
      throw new ServerError("CONFIG_SYNTAX", `more values than the limit of ${maxJsonValues}`);
    }
  }
}
