import { objectsOf, valueAt } from "../json-lists.ts";
import { type Line, line } from "../lines/line.ts";
import type { Members } from "../members.ts";
import { isSocket, type ServerDraft } from "./site-draft.ts";

/** Default ports of addresses, set by the options `http_port` and `https_port`. */
export interface UsualPorts {
  readonly http: number;
  readonly https: number;
  /** True when addresses for any host without TLS have `http://`. See `Choices.namesScheme`. */
  readonly namesScheme: boolean;
}

/**
 * The default ports, which a config's addresses omit. If a default port is 0, the config does not contain it, but the
 * challenges of issuers have an empty object for it.
 */
export function usualPortsOf(config: Members): UsualPorts {
  const policies = objectsOf(config.objectAt("apps", "tls", "automation"), "policies");
  const issuers = policies.flatMap((policy) => objectsOf(policy, "issuers"));
  const port = (key: string, challenge: string, usual: number) => {
    const given = config.objectAt("apps", "http")[key];
    const isZero = issuers.some(
      (issuer) => JSON.stringify(valueAt(issuer, "challenges", challenge)) === "{}",
    );
    return typeof given === "number" && given !== 0 ? given : isZero ? 0 : usual;
  };
  const [http, https] = [port("http_port", "http", 80), port("https_port", "tls-alpn", 443)];
  return { http, https, namesScheme: false };
}

/** Writes default ports of 0, because no other part of the config contains them. */
export function zeroPortLines({ http, https }: UsualPorts): Line[] {
  return [...(http === 0 ? [line("http_port", "0")] : []), ...(https === 0 ? [line("https_port", "0")] : [])];
}

/** Writes a host for an address: `[::1]` for IPv6. */
function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** The default form of a site address for any host, such as `:8080`, `https://` or `http://:8080`. */
function anyHost(
  { listening: { port }, hasPolicies }: ServerDraft,
  { namesScheme, ...ports }: UsualPorts,
): string {
  if (port === undefined) {
    return hasPolicies ? "https://" : "http://";
  }
  if (namesScheme && !hasPolicies && port !== ports.http && port !== ports.https) {
    return `http://:${port}`;
  }
  if (port === ports.https && hasPolicies) {
    return "https://";
  }
  return hasPolicies && port !== ports.http ? `https://:${port}` : `:${port}`;
}

interface AddressParts {
  readonly host: string;
  readonly path: string;
  readonly ports: UsualPorts;
  /** Number of earlier equal addresses; each repetition needs a different spelling. */
  readonly repetition: number;
}

/**
 * Writes an address. A server may need the same address twice, but a text must not repeat an address, so spellings
 * differ: `a.example`, `https://a.example`, `a.example:443`.
 */
export function addressText(server: ServerDraft, { host, path, ports, repetition }: AddressParts): string {
  const { port, binds } = server.listening;
  const textAt = (ways: readonly string[]) => ([...new Set(ways)][repetition] ?? ways[0]) + path;
  const under = (scheme: string, texts: readonly string[]) =>
    [scheme, scheme.toUpperCase()].flatMap((each) => texts.map((text) => `${each}://${text}`));
  if (host === "") {
    const usual = anyHost(server, ports);
    const scheme = usual.startsWith("https:") ? "https" : "http";
    return port === undefined ? usual + path : textAt([usual, `:${port}`, ...under(scheme, [`:${port}`])]);
  }
  const name = bracketed(host);
  const isOnSocketToo = port === ports.http && binds.some(isSocket) && !server.plainHosts.has(host);
  if (isOnSocketToo || server.httpHosts.has(host)) {
    return `${name}:${ports.http}${path}`; // with `http://` the name would be among the hosts that automatic HTTPS skips
  }
  const isPlain = port === ports.http || server.plainHosts.has(host);
  const needsPort = port !== undefined && port !== (isPlain ? ports.http : ports.https);
  const bare = `${name}:${port ?? ""}`;
  const usual = needsPort ? bare : name;
  const others = needsPort ? [] : [bare];
  return textAt([
    isPlain ? `http://${usual}` : usual,
    ...others,
    ...under(isPlain ? "http" : "https", [usual, ...others]),
  ]);
}

/** True when a host of a server is served over TLS. */
export function isSecure(server: ServerDraft, host: string, ports: UsualPorts): boolean {
  return (
    server.listening.port !== ports.http &&
    !server.plainHosts.has(host) &&
    !server.httpHosts.has(host) &&
    (host !== "" || server.hasPolicies || server.listening.port === ports.https)
  );
}
