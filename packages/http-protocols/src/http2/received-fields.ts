import type { HeaderList } from "../header-list.ts";
import type { HeaderField } from "./header-field.ts";

/**
 * Fields that concern one HTTP/1 connection; in HTTP/2 they make a message malformed. Source: RFC 9113, section 8.2.2
 */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

const fieldName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;
/**
 * A valid field value. A space at either end is malformed (RFC 9113, section 8.2.1), because parsers treat it
 * differently.
 */
export const fieldValue: RegExp = /^(?:[!-~\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[!-~\x80-\xff])?)?$/;

/** Fields that were already found valid: a field from HPACK's tables occurs again in every request. */
const goodFields = new WeakSet<HeaderField>();

/** @returns the fault of an ordinary field; "" for a valid field */
export function fieldProblem(field: HeaderField): string {
  if (goodFields.has(field)) {
    return "";
  }
  const { name, value } = field;
  if (!fieldName.test(name)) {
    return `name ${JSON.stringify(name.slice(0, 80))} is not allowed`;
  }
  if (!fieldValue.test(value)) {
    return `the value of ${name} is not allowed`;
  }
  if (ofConnection.has(name) || (name === "te" && value !== "trailers")) {
    return `field ${name} has no place in HTTP/2`;
  }
  goodFields.add(field);
  return "";
}

/**
 * Checks fields that follow a body.
 * @returns the fields, or a text with the fault
 * Source: RFC 9113, section 8.1
 */
export function readTrailerFields(fields: readonly HeaderField[]): HeaderList | string {
  const trailers: HeaderList = [];
  for (const field of fields) {
    const problem = field.name.startsWith(":") ? "a pseudo field in trailers" : fieldProblem(field);
    if (problem !== "") {
      return problem;
    }
    trailers.push(field.name, field.value);
  }
  return trailers;
}
