/**
 * Value of the parameter `service` in the query of a request for a sampling strategy. It may be empty.
 * @param url as in the request line: `/sampling?service=shop`
 * @returns undefined for a query with no such parameter, or with several. Parameters with a bad escape or a semicolon
 * are ignored. Source: Go documentation, package net/url, ParseQuery, as Jaeger reads queries
 */
export function serviceParameter(url: string): string | undefined {
  const question = url.indexOf("?");
  if (question === -1) {
    return undefined;
  }
  let found: string | undefined;
  for (const pair of url.slice(question + 1).split("&")) {
    if (pair.includes(";") || /%(?![0-9a-fA-F]{2})/.test(pair)) {
      continue;
    }
    const service = new URLSearchParams(pair).get("service");
    if (service === null) {
      continue;
    }
    if (found !== undefined) {
      return undefined;
    }
    found = service;
  }
  return found;
}
