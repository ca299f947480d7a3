/**
 * An address as it may be shown: without user, password and query, which may be secret.
 * `https://u:p@host/c?token=1` is shown as `https://host/c`.
 */
export function shownAddress(text: string): string {
  return text.replace(/[?#].*$/s, "").replace(/^([a-z][a-z\d+.-]*:\/\/)[^/]*@/i, "$1");
}

/** An address without its user and password, and the header that says them. Addresses that cannot be read stay. */
export function splitCredentials(text: string): { url: string; authorization: string | undefined } {
  const url = URL.parse(text);
  if (url === null || (url.username === "" && url.password === "")) {
    return { url: text, authorization: undefined };
  }
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = "";
  url.password = "";
  return { url: url.href, authorization: `Basic ${Buffer.from(credentials).toString("base64")}` };
}
