import type { Socket } from "node:net";

/** Both ends of a connection. */
export interface ConnectionAddresses {
  /** IP address of the client; "" over a unix socket. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  /** IP address that the client connected to; "" over a unix socket. */
  readonly localAddress: string;
  readonly localPort: number;
  /** `host:port` of the client, with brackets around IPv6. */
  readonly remote: string;
  /** Likewise, of this end. */
  readonly local: string;
}

/** An IPv4 address in the form of IPv6 is one of IPv4. */
function bare(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
}

function joined(address: string, port: number): string {
  return address === "" ? "" : `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

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

/** The addresses of a socket that is open. */
export function socketAddresses(socket: Socket): ConnectionAddresses {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  return addressesOf(remoteAddress, remotePort, localAddress, localPort);
}
