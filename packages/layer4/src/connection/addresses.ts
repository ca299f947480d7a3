import type { Socket } from "node:net";

/** Addresses of both ends of a connection. */
export interface ConnectionAddresses {
  /** IP address of the client; "" over a unix socket. */
  readonly remoteAddress: string;
  /** TCP or UDP port of the client; 0 over a unix socket. */
  readonly remotePort: number;
  /** IP address that the client connected to; "" over a unix socket. */
  readonly localAddress: string;
  /** Port that the client connected to; 0 over a unix socket. */
  readonly localPort: number;
  /** `host:port` of the client, with brackets around IPv6. */
  readonly remote: string;
  /** `host:port` of this end, in the same form. */
  readonly local: string;
}

/**
 * Removes the prefix of an IPv4 address in IPv6 form: `::ffff:192.0.2.1` becomes `192.0.2.1`. Otherwise IPv4 ranges
 * would not contain the address.
 */
function bare(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
}

/** Writes `192.0.2.1:80` or `[2001:db8::1]:80`; "" for a unix socket. */
function joined(address: string, port: number): string {
  return address === "" ? "" : `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Builds the addresses of a connection; an undefined part means a unix socket. */
export function addressesOf(
  remoteAddress: string | undefined,
  remotePort: number | undefined,
  localAddress: string | undefined,
  localPort: number | undefined,
): ConnectionAddresses {
  const [remote, local] = [bare(remoteAddress), bare(localAddress)];
  return {
    remoteAddress: remote,
    remotePort: remotePort ?? 0,
    localAddress: local,
    localPort: localPort ?? 0,
    remote: joined(remote, remotePort ?? 0),
    local: joined(local, localPort ?? 0),
  };
}

/** Reads the addresses of an open socket. A closed socket has none, so this is called early. */
export function socketAddresses(socket: Socket): ConnectionAddresses {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  return addressesOf(remoteAddress, remotePort, localAddress, localPort);
}
