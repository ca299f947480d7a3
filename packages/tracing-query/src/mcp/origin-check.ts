/** Host names of this machine in the form that browsers send in an origin. */
const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * True when a web page of this origin may send requests. A page that a user merely visits must not read traces, even if
 * its DNS name points to this machine (DNS rebinding). Programs send no origin.
 * Source: MCP specification, streamable HTTP, security warning
 */
export function isOriginAllowed(origin: string, allowed: readonly string[]): boolean {
  if (allowed.includes(origin) || allowed.includes("*")) {
    return true;
  }
  const url = URL.parse(origin);
  return url !== null && /^https?:$/.test(url.protocol) && loopbackNames.has(url.hostname);
}
