import { getHeader, type HeaderList, removeHeaders } from "http-engine/header-list";

/** Names of another length are passed over without a comparison. */
const nameLength = "user-agent".length;

/**
 * Fields with one `User-Agent`, the first: it is no list, and readers of several differ. An empty one is left out.
 * @returns the same list where nothing is left out
 * Source: Go's net/http, Request.Write
 */
export function oneUserAgent(headers: HeaderList): HeaderList {
  let count = 0;
  let isEmpty = false;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] as string;
    if (name.length === nameLength && name.toLowerCase() === "user-agent") {
      count++;
      isEmpty ||= headers[index + 1] === "";
    }
  }
  if (count === 0 || (count === 1 && !isEmpty)) {
    return headers;
  }
  const first = getHeader(headers, "user-agent");
  const kept = [...headers];
  removeHeaders(kept, (name) => name === "user-agent");
  if (first) {
    kept.push("User-Agent", first);
  }
  return kept;
}
