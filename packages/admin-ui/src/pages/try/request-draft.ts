import type { TriedRequest } from "../../api/rehearsal.ts";
import type { TryAddress } from "./try-address.ts";

/** The request in the form. */
export interface RequestDraft {
  /** Method as typed; "" counts as GET. */
  method: string;
  /** URL as typed. */
  url: string;
  /** Address of the client as typed; "" for this machine's. */
  client: string;
  /** Header fields, one `Name: value` per line. */
  headers: string;
}

/** A form field that the server would refuse, and the reason. */
export interface DraftFault {
  /** The field that gets the focus and the mark. */
  field: keyof RequestDraft;
  /** A sentence that explains the correct form. */
  message: string;
}

/** Key of the header fields in session storage. */
const key = "console.try.headers";
/** Matches an HTTP token, such as a method or field name. Source: RFC 9110, section 5.6.2 */
const token = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

/** The request of a URL, with the header fields stored in this tab. */
export function draftOf({ url = "", method = "GET", client = "" }: TryAddress): RequestDraft {
  let headers = "";
  try {
    headers = sessionStorage.getItem(key) ?? "";
  } catch {
    // Storage is disabled: the fields last only as long as the page.
  }
  return { method, url, client, headers };
}

/** Stores the header fields for a reload of this tab. They are not in the URL, which others may see. */
export function keepHeaders(headers: string): void {
  try {
    sessionStorage.setItem(key, headers);
  } catch {
    // See above.
  }
}

/** Converts the form to a request, or returns the first field that the server would refuse. */
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

/** A URL as clients send it: without a fragment, and with non-ASCII characters after the host encoded. */
function asSent(url: string): string {
  const [, start = "", rest = ""] = /^(\w+:\/\/[^/?#]*)?([^#]*)/.exec(url) ?? [];
  return start + rest.replace(/[^!-~]+/gu, (text) => encodeURIComponent(text.toWellFormed()));
}
