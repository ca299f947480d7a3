import { ServerError } from "../errors.ts";

export type ListenAddress =
  | {
      readonly network: "tcp" /** "" means every address of the machine. */;
      readonly host: string;
      readonly port: number;
    }
  | { readonly network: "unix"; readonly path: string /** File mode of the socket. */; readonly mode: number }
  | { readonly network: "fd"; readonly fd: number };

/** A UDP port that belongs to a TCP address of the config. */
export interface UdpAddress {
  readonly network: "udp";
  /** Host of the port; "" means every address of the machine. */
  readonly host: string;
  readonly port: number;
}

const defaultSocketMode = 0o200;

function refuse(text: string, why: string): ServerError {
  return new ServerError("MODULE_CONFIG", `invalid listener address '${text}': ${why}`);
}

function parsePort(text: string, whole: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw refuse(whole, `'${text}' is not a port, 0 to 65535`);
  }
  return Number(text);
}

/**
 * Parses a listen address. TCP: `:8080`, `127.0.0.1:80`, `[::1]:80`, or the range `a:8080-8082` with both ends, with or
 * without `tcp/`. Unix socket: `unix//abs/path.sock`, with an optional file mode `|0660` (default 0200). Inherited
 * socket: `fd/3`.
 * @param defaultPort port for a host without a port; if absent, a text without a port is refused
 * @throws ServerError MODULE_CONFIG
 * Source: Caddy 2.11, seen running
 */
export function parseListenAddress(text: string, defaultPort?: number): ListenAddress[] {
  if (text.startsWith("unix/")) {
    const [path = "", mode] = text.slice("unix/".length).split("|");
    if (!path.startsWith("/")) {
      throw refuse(text, "a unix socket needs an absolute path");
    }
    if (mode !== undefined && !/^0?[0-7]{3}$/.test(mode)) {
      throw refuse(text, `'${mode}' is not a file mode such as 0660`);
    }
    return [
      { network: "unix", path, mode: mode === undefined ? defaultSocketMode : Number.parseInt(mode, 8) },
    ];
  }
  if (text.startsWith("fd/")) {
    const fd = text.slice("fd/".length);
    if (!/^\d{1,6}$/.test(fd)) {
      throw refuse(text, `'${fd}' is not a file descriptor`);
    }
    return [{ network: "fd", fd: Number(fd) }];
  }
  const network = /^([a-z0-9]+)\//.exec(text)?.[1];
  if (network !== undefined && network !== "tcp") {
    throw refuse(text, `network '${network}' is not supported yet`);
  }
  const rest = network === undefined ? text : text.slice("tcp/".length);
  const match = /^(?:\[([0-9a-fA-F:.%]+)\]|([^:[\]/\s]*))(?::([^:/]*))?$/.exec(rest);
  const host = match?.[1] ?? match?.[2];
  if (match === null || host === undefined) {
    throw refuse(text, "expected host:port");
  }
  if (match[3] === undefined || match[3] === "") {
    if (defaultPort === undefined) {
      throw refuse(text, "missing port");
    }
    return [{ network: "tcp", host, port: defaultPort }];
  }
  const [startText = "", endText] = match[3].split("-", 2);
  const start = parsePort(startText, text);
  const end = endText === undefined ? start : parsePort(endText, text);
  if (end < start) {
    throw refuse(text, "end port must be greater than start port");
  }
  return Array.from({ length: end - start + 1 }, (_, offset) => ({
    network: "tcp",
    host,
    port: start + offset,
  }));
}

function hostPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Formats an address: `127.0.0.1:80`, `[::1]:80`, `:80`, `udp/:443`, `unix//run/s.sock`, `fd/3`. */
export function formatListenAddress(address: ListenAddress | UdpAddress): string {
  switch (address.network) {
    case "tcp":
      return hostPort(address);
    case "udp":
      return `udp/${hostPort(address)}`;
    case "unix":
      return `unix/${address.path}`;
    case "fd":
      return `fd/${address.fd}`;
  }
}
