import { isLength, reasonPhrase } from "http-protocols/http1/response-start";
import { ServerError } from "server-core/errors";
import type { HeaderList } from "../header-list.ts";

const tokenOnly = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;
const maxKnownNames = 1_000;

/** Names that were found valid, so that each name is checked only once. */
const knownNames = new Set<string>();

function checkName(name: string): void {
  if (knownNames.has(name)) {
    return;
  }
  if (!tokenOnly.test(name)) {
    throw new ServerError("HTTP_RESPONSE", `invalid header name ${JSON.stringify(name)}`);
  }
  if (knownNames.size < maxKnownNames) {
    knownNames.add(name);
  }
}

function checkField(name: string, value: string): void {
  checkName(name);
  if (notInValue.test(value)) {
    throw new ServerError(
      "HTTP_RESPONSE",
      `invalid value of header ${name}: ${JSON.stringify(value.slice(0, 80))}`,
    );
  }
}

/** Fields in the form for a message. @throws ServerError HTTP_RESPONSE for a field that would split the message */
export function encodeFields(headers: HeaderList): string {
  let text = "";
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    checkField(name, value);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** The error for a response with two lengths: two parsers could choose different lengths. */
export function twoLengths(): ServerError {
  return new ServerError("HTTP_RESPONSE", "more than one Content-Length");
}

const statusLines = new Map<number, string>();

/** @throws ServerError HTTP_RESPONSE for a status that is not a whole number from 100 to 999 */
export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    if (!Number.isInteger(status) || status < 100 || status > 999) {
      throw new ServerError("HTTP_RESPONSE", `invalid status ${status}`);
    }
    line = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}

/** The fields of a response as text, and the framing that they declare. */
export interface ResponseFields {
  /** Lines of all fields, each with its CRLF. */
  readonly text: string;
  /** Value of `Content-Length`; undefined without the field. */
  readonly contentLength: number | undefined;
  /** True when a handler set `Date`; otherwise the connection adds it. */
  readonly hasDate: boolean;
  /** True when a handler set `Connection: close`. */
  readonly close: boolean;
}

/**
 * Maximum number of fields and characters of lists that are cached. Lists with more or longer fields are encoded each
 * time.
 */
const maxKeptFields = 32;
const maxKeptLength = 4 * 1024;

interface KeptFields {
  /** The encoded list; a list with the same identity needs no comparison. */
  readonly headers: HeaderList;
  /** Encoded form of the list. */
  readonly fields: ResponseFields;
}

/** The last encoded list for each number of fields, because successive responses often have equal fields. */
const keptFields: (KeptFields | undefined)[] = [];

/** True when two lists are equal, with the same fields, order and spelling. */
export function isSameList(a: HeaderList, b: HeaderList): boolean {
  if (a.length !== b.length) {
    return false;
  }
  // The last fields differ most often, so they are compared first.
  for (let index = a.length - 1; index >= 0; index--) {
    if (a[index] !== b[index]) {
      return false;
    }
  }
  return true;
}

/**
 * Encodes the fields of a response, without Transfer-Encoding, which the stream sets itself, and without a
 * Content-Length that is no number. Source: Go's net/http
 * @param goodFrom from this index on, the fields came from an HTTP/1 connection and need no check
 * @throws ServerError HTTP_RESPONSE for a field that would split the message
 */
export function encodeResponseFields(headers: HeaderList, goodFrom: number): ResponseFields {
  const count = headers.length / 2;
  const kept = count <= maxKeptFields ? keptFields[count] : undefined;
  if (kept !== undefined && isSameList(kept.headers, headers)) {
    return kept.fields;
  }
  const encoded = encodeEach(headers, goodFrom);
  if (count > maxKeptFields || encoded.text.length > maxKeptLength) {
    return encoded;
  }
  // Stored as one flat string: V8 would flatten a concatenated string again for each response.
  const fields = { ...encoded, text: Buffer.from(encoded.text, "latin1").toString("latin1") };
  keptFields[count] = { headers: [...headers], fields };
  return fields;
}

function encodeEach(headers: HeaderList, goodFrom: number): ResponseFields {
  let text = "";
  let contentLength: number | undefined;
  let hasDate = false;
  let close = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    if (index < goodFrom) {
      checkField(name, value);
    }
    // Most fields have a different length from these names, so the length is compared first.
    switch (name.length) {
      case 4:
        hasDate ||= name.toLowerCase() === "date";
        break;
      case 10:
        close ||= name.toLowerCase() === "connection" && /\bclose\b/i.test(value);
        break;
      case 14:
        if (name.toLowerCase() === "content-length") {
          if (!isLength(value)) {
            continue; // as if absent: the client could not tell where the response ends
          }
          if (contentLength !== undefined && contentLength !== Number(value)) {
            throw twoLengths();
          }
          contentLength = Number(value);
        }
        break;
      case 17:
        if (name.toLowerCase() === "transfer-encoding") {
          continue;
        }
        break;
    }
    text += `${name}: ${value}\r\n`;
  }
  return { text, contentLength, hasDate, close };
}
