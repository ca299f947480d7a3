import { isIPv6 } from "node:net";
import { type HostPort, joinHostPort, tryHostPort } from "server-core/go/host-port";

/** Maximum number of characters of an address; further characters are dropped, as in Caddy. */
const maxLength = 4096;

/** A site address: `[scheme://]host[:port][/path]`. Absent parts are "". */
export interface SiteAddress {
  /** The address as written, for messages. */
  readonly original: string;
  /** `http`, `https` or "". */
  readonly scheme: string;
  /** A name, which may contain wildcards, or an IP address without brackets; "" means any host. */
  readonly host: string;
  /** A number; "" means the default port of the scheme. */
  readonly port: string;
  /** Path with its leading slash. The site serves only requests below this path. */
  readonly path: string;
}

/** Splits a text into host and port. A text that is no valid pair of host and port is the host. */
function hostPortOf(text: string): HostPort {
  for (const attempt of [text, `${text}:`]) {
    const parts = tryHostPort(attempt);
    if (typeof parts !== "string") {
      return parts;
    }
  }
  return { host: text, port: "" };
}

/**
 * Converts a text to lower case, except its placeholders: `{env.HOST}.Example.COM` becomes `{env.HOST}.example.com`.
 */
function lowerOutsidePlaceholders(text: string): string {
  if (!text.includes("{")) {
    return text.toLowerCase();
  }
  return text.replace(/(\\.)|(\{[^}]*\}?)|([^\\{]+)/gs, (all, escaped, placeholder) =>
    escaped === undefined && placeholder === undefined
      ? all.toLowerCase()
      : (placeholder ?? escaped.toLowerCase()),
  );
}

/** Normalizes a host: lower case, and an IPv6 address in short form: `2001:DB8:0::1` becomes `2001:db8::1`. */
function normalizeHost(text: string): string {
  const host = text.trim();
  if (host.includes(":") && isIPv6(host) && !host.includes("%") && !/^::ffff:/i.test(host)) {
    return new URL(`http://[${host}]/`).hostname.slice(1, -1);
  }
  return lowerOutsidePlaceholders(host);
}

/**
 * Splits a site address; host and scheme are returned in lower case.
 *
 * | text | scheme | host | port | path |
 * |---|---|---|---|---|
 * | `Example.com` | | example.com | | |
 * | `http://example.com:8080/api/*` | http | example.com | 8080 | /api/* |
 * | `:443` | | | 443 | |
 * | `[::1]:80` | | ::1 | 80 | |
 * @throws Error for an invalid port
 */
export function parseSiteAddress(text: string): SiteAddress {
  const original = text.slice(0, maxLength).trim();
  const schemeEnd = original.indexOf("://");
  const rest = schemeEnd === -1 ? original : original.slice(schemeEnd + 3);
  const slash = rest.indexOf("/");
  const { host, port } = hostPortOf(slash === -1 ? rest : rest.slice(0, slash));
  if (port !== "") {
    if (!/^[+-]?\d+$/.test(port)) {
      throw new Error(`invalid port '${port}': parsing ${JSON.stringify(port)}: invalid syntax`);
    }
    if (Number(port) < 0 || Number(port) > 65_535) {
      throw new Error(`port ${Number(port)} is out of range`);
    }
  }
  return {
    original,
    scheme: lowerOutsidePlaceholders(schemeEnd === -1 ? "" : original.slice(0, schemeEnd)),
    host: normalizeHost(host),
    port,
    path: slash === -1 ? "" : rest.slice(slash),
  };
}

/**
 * Formats an address as a URL, without the default port of its scheme.
 * `example.com:443` becomes `https://example.com`, `example.com:8080` becomes `http://example.com:8080`.
 */
export function formatSiteAddress({ scheme: given, host, port, path }: SiteAddress): string {
  if (host === "" && port === "") {
    return "";
  }
  const scheme = given || (port === "443" ? "https" : "http");
  const needsPort =
    port !== "" && ((scheme === "https" && port !== "443") || (scheme === "http" && port !== "80"));
  return `${scheme}://${needsPort ? joinHostPort(host, port) : host}${path}`;
}
