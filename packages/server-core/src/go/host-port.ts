/** Host and port of an address. The port is not validated: "", a range, a name or a placeholder. */
export interface HostPort {
  /** Host without brackets. */
  readonly host: string;
  /** "" when nothing follows the colon. */
  readonly port: string;
}

/**
 * Splits `host:port`, `[::1]:port`, `:port`. @returns an error text with Caddy's wording for an invalid
 * address
 */
export function tryHostPort(address: string): HostPort | string {
  const colon = address.lastIndexOf(":");
  if (colon === -1) {
    return "missing port in address";
  }
  let host = address.slice(0, colon);
  let hostFrom = 0;
  let portFrom = 0;
  if (address.startsWith("[")) {
    const end = address.indexOf("]");
    if (end === -1) {
      return "missing ']' in address";
    }
    if (end + 1 !== colon) {
      return address[end + 1] === ":" ? "too many colons in address" : "missing port in address";
    }
    host = address.slice(1, end);
    hostFrom = 1;
    portFrom = end + 1;
  } else if (host.includes(":")) {
    return "too many colons in address";
  }
  if (address.includes("[", hostFrom)) {
    return "unexpected '[' in address";
  }
  if (address.includes("]", portFrom)) {
    return "unexpected ']' in address";
  }
  return { host, port: address.slice(colon + 1) };
}

/** Like {@link tryHostPort}. @throws Error with the reason */
export function splitHostPort(address: string): HostPort {
  const parts = tryHostPort(address);
  if (typeof parts === "string") {
    throw new Error(`address ${address}: ${parts}`);
  }
  return parts;
}

/** `host:port`; an IPv6 address gets brackets. */
export function joinHostPort(host: string, port: string): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
