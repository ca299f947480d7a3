import type { TriedRequest } from "../../api/rehearsal.ts";
import type { TryAddress } from "./try-address.ts";

/** The request in the form. */
export interface RequestDraft {
  /** Method as typed; "" counts as GET. */
  method: string;
  /** Address as typed. */
  url: string;
  /** Address of the client as typed; "" for this machine's. */
  client: string;
  /** One `Name: value` a line. */
  headers: string;
}

/** A field of the form that the server would refuse, and why. */
export interface DraftFault {
  /** The field that gets the focus and the mark. */
  field: keyof RequestDraft;
  /** A sentence that says what to write instead. */
  message: string;
}

/** Name of the header fields in the tab's session storage. */
const key = "console.try.headers";
/** A token of HTTP, as methods and field names are. Source: RFC 9110, section 5.6.2 */
const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

/** The request of an address, with the header fields that this tab keeps. */
export function draftOf({ url = "", method = "GET", client = "" }: TryAddress): RequestDraft {
  let headers = "";
  try {
    headers = sessionStorage.getItem(key) ?? "";
  } catch {
    // Refused: they last as long as the page.
  }
  return { method, url, client, headers };
}

/** Keeps the header fields for a reload of this tab. They stay out of the address, which others may see. */
export function keepHeaders(headers: string): void {
  try {
    sessionStorage.setItem(key, headers);
  } catch {
    // See above.
  }
}

/** The written request as the server takes it, or the first field that it would refuse. */
export function requestOf(draft: RequestDraft): TriedRequest | DraftFault {
  const method = draft.method.trim() || "GET";
  if (!new RegExp(`^${token}$`).test(method)) {
    return { field: "method", message: "A method is one word: GET, POST, PROPFIND." };
  }
  const url = asSent(draft.url.trim());
  if (!/^https?:\/\/[^/?]+/i.test(url) || !URL.canParse(url)) {
    return { field: "url", message: "Write http:// or https://, then the host: https://example.com/path" };
  }
  const lines = draft.headers.split("\n").map((line) => line.trim());
  const wrong = lines.findIndex((line) => line !== "" && !new RegExp(`^${token}:`).test(line));
  if (wrong !== -1) {
    return { field: "headers", message: `Line ${wrong + 1} is no field: write Name: value` };
  }
  return { method, url, headers: lines.filter(Boolean), client: draft.client.trim() || undefined };
}

/** An address as clients send it: without a fragment, and with what is no ASCII encoded behind the host. */
function asSent(url: string): string {
  const [, start = "", rest = ""] = /^(\w+:\/\/[^/?#]*)?([^#]*)/.exec(url) ?? [];
  return start + rest.replace(/[^!-~]+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}
