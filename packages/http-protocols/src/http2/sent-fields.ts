import type { HeaderList } from "../header-list.ts";
import type { HpackEncoder } from "./hpack-encoder.ts";

/** Fields of one connection, which HTTP/2 knows nothing of. Source: RFC 9113, section 8.2.2 */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
]);

/** Fields whose values no table may keep. Source: RFC 7541, section 7.1.3 */
const secret: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

const tokenOnly = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;
const maxKnownNames = 1_000;

/** Names as they were written, in lower case; "" for those that are left out. Each is checked once. */
const knownNames = new Map<string, string>();

/** @returns the name as it is written; "" when it is left out; undefined when it is none */
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

/** The fields of a message that this side would otherwise add itself. */
export interface SaidFields {
  /** Undefined without the field. */
  readonly contentLength: number | undefined;
  /** Whether a handler set `date`; the connection adds it otherwise. */
  readonly hasDate: boolean;
}

/** Checks fields before anything of them is in the encoder's table. @returns what is wrong, when they cannot be sent */
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
      if (contentLength !== undefined && contentLength !== Number(value)) {
        return "more than one Content-Length";
      }
      contentLength = Number(value);
    }
  }
  return { contentLength, hasDate };
}

/** Fields as HTTP/2 and HTTP/3 write them: names in lower case, without those about a connection. @param headers checked */
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

/** Adds fields to the block that is being written, without those about a connection. @param headers checked */
export function addFields(encoder: HpackEncoder, headers: HeaderList): void {
  for (let index = 0; index < headers.length; index += 2) {
    const name = h2Name(headers[index] as string);
    if (name !== undefined && name !== "") {
      encoder.add(name, headers[index + 1] as string, secret.has(name));
    }
  }
}
