import { createHash } from "node:crypto";
import type { LogValue } from "../log-entry.ts";

/** Changes a text, or each text of a list; other values stay unchanged. */
export function onTexts(value: LogValue, change: (text: string) => string): LogValue {
  if (typeof value === "string") {
    return change(value);
  }
  return Array.isArray(value)
    ? value.map((each: LogValue) => (typeof each === "string" ? change(each) : each))
    : value;
}

/**
 * The first four bytes of the SHA-256 of a text, in hex. Equal texts have equal hashes, but the hash does not reveal
 * the text.
 */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
