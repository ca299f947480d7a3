import { STATUS_CODES } from "node:http";
import { ServerError } from "../../core/errors.ts";
import type { HeaderList } from "../header-list.ts";

const tokenOnly = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const notInValue = /[^\t\x20-\x7e\x80-\xff]/;
const maxKnownNames = 1_000;

/** Names that were found good, so that each is checked once. */
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

/** Fields as they stand in a message. @throws ServerError HTTP_RESPONSE for what would split it */
export function encodeFields(headers: HeaderList): string {
  let text = "";
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    const value = headers[index + 1] as string;
    checkName(name);
    if (notInValue.test(value)) {
      throw new ServerError(
        "HTTP_RESPONSE",
        `invalid value of header ${name}: ${JSON.stringify(value.slice(0, 80))}`,
      );
    }
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

const statusLines = new Map<number, string>();

/** @throws ServerError HTTP_RESPONSE for a status that has no place in a final response */
export function statusLine(status: number): string {
  let line = statusLines.get(status);
  if (line === undefined) {
    if (!Number.isInteger(status) || status < 100 || status > 999) {
      throw new ServerError("HTTP_RESPONSE", `invalid status ${status}`);
    }
    line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n`;
    statusLines.set(status, line);
  }
  return line;
}

let dateText = "";
let dateSecond = 0;

/** Value of the field `Date`. @param nowMs as `Date.now()` */
export function httpDate(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(nowMs).toUTCString();
  }
  return dateText;
}

/** What a list of response fields says about framing; each found by its length first. */
export interface ResponseFraming {
  /** Undefined when the list names none. */
  contentLength: number | undefined;
  hasDate: boolean;
  close: boolean;
}

/** Reads the framing fields of a response. Transfer-Encoding is ours to say: `hasTransferEncoding` asks to drop it. */
export function responseFraming(headers: HeaderList): ResponseFraming & { hasTransferEncoding: boolean } {
  const framing = {
    contentLength: undefined as number | undefined,
    hasDate: false,
    close: false,
    hasTransferEncoding: false,
  };
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    switch (name.length) {
      case 4:
        framing.hasDate ||= name.toLowerCase() === "date";
        break;
      case 10:
        if (name.toLowerCase() === "connection" && /\bclose\b/i.test(headers[index + 1] ?? "")) {
          framing.close = true;
        }
        break;
      case 14:
        if (name.toLowerCase() === "content-length") {
          framing.contentLength = Number(headers[index + 1]);
        }
        break;
      case 17:
        framing.hasTransferEncoding ||= name.toLowerCase() === "transfer-encoding";
        break;
    }
  }
  return framing;
}
