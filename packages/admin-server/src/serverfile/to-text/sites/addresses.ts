import type { ServerDraft, SiteDraft } from "./site-draft.ts";

/** The ports of the options `http_port` and `https_port`. */
export interface UsualPorts {
  readonly http: number;
  readonly https: number;
  /** Whether sites for any host say that they are without TLS: others shadow the certificates of named ones. */
  readonly namesScheme: boolean;
}

function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

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

function hasSocketWithoutPort({ listening }: ServerDraft): boolean {
  return listening.binds.some(({ address }) => /^(unix|fd)/.test(address));
}

/** An address as people write it. @param repetition 1 and more for another way to write the same */
export function addressText(
  server: ServerDraft,
  host: string,
  path: string,
  ports: UsualPorts,
  repetition: number,
): string {
  const { port } = server.listening;
  if (host === "") {
    const usual = anyHost(server, ports);
    return (repetition === 0 ? usual : usual === `:${port}` ? `http://:${port}` : `:${port}`) + path;
  }
  const name = bracketed(host);
  if (port === ports.http && hasSocketWithoutPort(server) && !server.plainHosts.has(host)) {
    return `${name}:${port}${path}`; // with `http://` it would be among the hosts to skip
  }
  const isPlain = port === ports.http || server.plainHosts.has(host);
  const needsPort = port !== undefined && port !== (isPlain ? ports.http : ports.https);
  const plain = `${isPlain ? "http://" : ""}${name}${needsPort ? `:${port}` : ""}`;
  const secure = isPlain ? "http" : "https";
  const bare = `${name}:${port ?? ""}`;
  const ways = [
    plain,
    needsPort ? `${secure}://${bare}` : `${secure}://${name}`,
    needsPort ? `${secure.toUpperCase()}://${bare}` : bare,
    `${secure}://${bare}`,
    `${secure.toUpperCase()}://${name}`,
    `${secure.toUpperCase()}://${bare}`,
  ];
  const distinct = [...new Set(ways)];
  return (distinct[repetition] ?? plain) + path;
}

/** Every address of a site. */
export function siteKeys({ server, addresses, repetition }: SiteDraft, ports: UsualPorts): string[] {
  return addresses.map(({ host, path }) => addressText(server, host, path, ports, repetition));
}

/** Whether a host of a server is reached over TLS. */
export function isSecure(server: ServerDraft, host: string, ports: UsualPorts): boolean {
  return (
    server.listening.port !== ports.http &&
    !server.plainHosts.has(host) &&
    (host !== "" || server.hasPolicies || server.listening.port === ports.https)
  );
}
