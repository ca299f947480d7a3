import { getHeader, type HeaderList, removeHeaders } from "http-engine/header-list";

/** Length for a quick first check; other names need no comparison. */
const nameLength = "user-agent".length;

/**
 * Keeps only the first `User-Agent`: the field is not a list, so readers of several values would choose differently. An
 * empty `User-Agent` is removed.
 * @returns the same list when nothing is removed
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
