import { isIPv6 } from "node:net";
import { type HostPort, joinHostPort, tryHostPort } from "server-core/go/host-port";

const maxLength = 4096;

/** A key of a site: `[scheme://]host[:port][/path]`. Absent parts are "". */
export interface SiteAddress {
  /** The key as it was written, for messages. */
  readonly original: string;
  /** `http`, `https` or "". */
  readonly scheme: string;
  /** A name, perhaps with wildcards, or an IP address without brackets; "" is any host. */
  readonly host: string;
  /** A number, or "" for the usual port of the scheme. */
  readonly port: string;
  /** With its slash. Requests elsewhere are not the site's. */
  readonly path: string;
}

function hostPortOf(text: string): HostPort {
  for (const attempt of [text, `${text}:`]) {
    const parts = tryHostPort(attempt);
    if (typeof parts !== "string") {
      return parts;
    }
  }
  return { host: text, port: "" };
}

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

function normalizeHost(text: string): string {
  const host = text.trim();
  if (host.includes(":") && isIPv6(host) && !host.includes("%") && !/^::ffff:/i.test(host)) {
    return new URL(`http://[${host}]/`).hostname.slice(1, -1);
  }
  return lowerOutsidePlaceholders(host);
}

/** @throws Error when the port is none. Host and scheme come back in lower case */
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

/** As a URL, its port left out when the scheme says it. */
export function formatSiteAddress({ scheme: given, host, port, path }: SiteAddress): string {
  if (host === "" && port === "") {
    return "";
  }
  const scheme = given || (port === "443" ? "https" : "http");
  const needsPort =
    port !== "" && ((scheme === "https" && port !== "443") || (scheme === "http" && port !== "80"));
  return `${scheme}://${needsPort ? joinHostPort(host, port) : host}${path}`;
}
