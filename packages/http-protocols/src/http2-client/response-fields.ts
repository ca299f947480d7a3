import type { HeaderList } from "../header-list.ts";
import type { HeaderField } from "../http2/header-field.ts";
import { fieldProblem } from "../http2/received-fields.ts";

/** The checked head of a response. */
export interface ResponseHead {
  /** Status from 100 to 999, except 101, which does not exist in HTTP/2. */
  readonly status: number;
  /** Fields without pseudo-header fields. */
  readonly headers: HeaderList;
  /** Declared length of the body; undefined when the server declares none. */
  readonly contentLength: number | undefined;
}

const threeDigits = /^[1-9]\d\d$/;
const digits = /^\d{1,15}$/;
const noContent = 204;

/** The value without blanks at its ends, which HTTP/1 removes too. */
function withoutBlanks(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) {
    start++;
  }
  while (end > start && isBlank(value.charCodeAt(end - 1))) {
    end--;
  }
  return value.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 9;
}

/**
 * Adds a field to a list. Some servers send spaces around values; this function removes them.
 * @returns the fault of the field; "" for a valid field
 */
function addField(headers: HeaderList, field: HeaderField): string {
  const { name } = field;
  const problem = fieldProblem(field);
  if (problem === "") {
    headers.push(name, field.value);
    return "";
  }
  const value = withoutBlanks(field.value);
  if (value.length === field.value.length || fieldProblem({ name, value }) !== "") {
    return problem;
  }
  headers.push(name, value);
  return "";
}

/**
 * Checks the fields of a response, interim or final.
 * @returns the head, or a text with the fault of a malformed response
 * Source: RFC 9113, sections 8.2 and 8.3.2
 */
export function readResponseHead(fields: readonly HeaderField[]): ResponseHead | string {
  const headers: HeaderList = [];
  let status = 0;
  let length: string | undefined;
  let isBehind = false;
  for (const field of fields) {
    const { name, value } = field;
    if (name.charCodeAt(0) === 0x3a) {
      if (name !== ":status" || status !== 0 || isBehind) {
        return `field ${JSON.stringify(name.slice(0, 80))} is unknown, comes twice or stands behind others`;
      }
      if (!threeDigits.test(value)) {
        return `status ${JSON.stringify(value.slice(0, 80))}`;
      }
      status = Number(value);
      continue;
    }
    isBehind = true;
    if (name === "content-length") {
      if (length !== undefined || !digits.test(value)) {
        return "field content-length is no number, or comes twice";
      }
      length = value;
      if (status < 200 || status === noContent) {
        continue; // Content-Length has no meaning with these statuses: RFC 9110, section 8.6.
      }
    }
    const problem = addField(headers, field);
    if (problem !== "") {
      return problem;
    }
  }
  if (status === 0 || status === 101) {
    return status === 0 ? "field :status is missing" : "status 101, which HTTP/2 does not know";
  }
  return { status, headers, contentLength: length === undefined ? undefined : Number(length) };
}

/** Like `readTrailerFields`, but removes spaces around values. @returns the trailers, or a text with their fault */
export function readResponseTrailers(fields: readonly HeaderField[]): HeaderList | string {
  const trailers: HeaderList = [];
  for (const field of fields) {
    const problem = field.name.startsWith(":") ? "a pseudo field in trailers" : addField(trailers, field);
    if (problem !== "") {
      return problem;
    }
  }
  return trailers;
}
