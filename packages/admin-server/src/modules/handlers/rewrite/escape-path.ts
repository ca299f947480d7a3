const unsafe = /%(?![0-9a-fA-F]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu;

/** A text as the path of a request target: what cannot stand there is percent-encoded, escapes stay. */
export function escapePath(text: string): string {
  return text.toWellFormed().replace(unsafe, (part) => (part === "%" ? "%25" : encodeURIComponent(part)));
}

/** A decoded path, percent-encoded. */
export function encodePath(path: string): string {
  return escapePath(path.replaceAll("%", "%25"));
}

/** A text as a query: what cannot stand there is percent-encoded, escapes stay. */
export function escapeQueryText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%[\]|^`{}"\\]/gu, (part) => encodeURIComponent(part));
}
