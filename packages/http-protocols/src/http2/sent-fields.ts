import type { HeaderList } from "../header-list.ts";
import type { HpackEncoder } from "./hpack-encoder.ts";

/** Form of a `Content-Length`, as in HTTP/1: up to 15 digits, which JavaScript counts exactly. */
const lengthForm = /^\d{1,15}$/;

/** Fields that concern one connection; HTTP/2 has no such fields. Source: RFC 9113, section 8.2.2 */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** Fields whose values must not be stored in any table. Source: RFC 7541, section 7.1.3 */
const secret: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

const tokenOnly = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;
const maxKnownNames = 1_000;

/** Names in the form to send, in lower case; "" for omitted fields. Cached, so that each name is checked only once. */
const knownNames = new Map<string, string>();

/** @returns the name in the form to send; "" for an omitted field; undefined for an invalid name */
function h2Name(name: string): string | undefined {
  const known = knownNames.get(name);
  if (known !== undefined) {
    return known;
  }
  if (!tokenOnly.test(name)) {
    return undefined;
  }
  const lower = name.toLowerCase();
  const written = ofConnection.has(lower) ? "" : lower;
  if (knownNames.size < maxKnownNames) {
    knownNames.set(name, written);
  }
  return written;
}

/** Fields that a handler has set. This side adds the missing ones. */
export interface SaidFields {
  /** Value of `content-length`; undefined without the field, NaN when the value is no number of bytes. */
  readonly contentLength: number | undefined;
  /** True when a handler set `date`; otherwise the connection adds it. */
  readonly hasDate: boolean;
}

/**
 * Checks all fields before the encoder adds one to its table. @returns a text with the fault when the fields cannot be
 * sent
 */
export function readSentFields(headers: HeaderList): SaidFields | string {
  let contentLength: number | undefined;
  let hasDate = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    const written = h2Name(name);
    if (written === undefined) {
      return `invalid header name ${JSON.stringify(name)}`;
    }
    if (notInValue.test(value)) {
      return `invalid value of header ${name}: ${JSON.stringify(value.slice(0, 80))}`;
    }
    if (written === "date") {
      hasDate = true;
    } else if (written === "content-length") {
      const length = lengthForm.test(value) ? Number(value) : Number.NaN;
      if (contentLength !== undefined && !Object.is(contentLength, length)) {
        return "more than one Content-Length";
      }
      contentLength = length;
    }
  }
  return { contentLength, hasDate };
}

/**
 * Fields in the form for HTTP/2 and HTTP/3: names in lower case, without fields that concern a connection. @param
 * headers already checked
 */
export function writtenFields(headers: HeaderList): HeaderList {
  const written: HeaderList = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = h2Name(headers[index] as string);
    if (name !== undefined && name !== "") {
      written.push(name, headers[index + 1] as string);
    }
  }
  return written;
}

/** Adds fields to the current block, except fields about one connection. @param headers checked fields */
export function addFields(encoder: HpackEncoder, headers: HeaderList): void {
  for (let index = 0; index < headers.length; index += 2) {
    const name = h2Name(headers[index] as string);
    if (name !== undefined && name !== "") {
      encoder.add(name, headers[index + 1] as string, secret.has(name));
    }
  }
}
