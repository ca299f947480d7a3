import { ServerError } from "../errors.ts";
import { maxJsonDepth } from "./encode-json.ts";

/**
 * Maximum number of values in a document, including nested ones: far above real configs. Each value needs more memory
 * than its text.
 */
export const maxJsonValues = 1_000_000;

/**
 * Checks the limits of a document before it is parsed, because a parser needs memory for each level and each value. It
 * counts brackets and commas outside of strings, and does not validate the JSON.
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
        index++; // an escaped quote does not end the string
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
