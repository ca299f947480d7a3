/**
 * Removes user, password and query from a URL before it is shown, because they may be secret.
 * `https://u:p@host/c?token=1` is shown as `https://host/c`.
 */
export function shownAddress(text: string): string {
  return text.replace(/[?#].*$/s, "").replace(/^([a-z][a-z\d+.-]*:\/\/)[^/]*@/i, "$1");
}

/** Removes user and password from a URL, and returns them as the value of a header. An invalid URL stays unchanged. */
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
