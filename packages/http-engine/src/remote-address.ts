import type { Socket } from "node:net";
import { joinHostPort } from "server-core/go/host-port";

/** An address of a socket. IPv4 as such, not in the IPv6 form (`::ffff:127.0.0.1`) of a socket that listens for both. */
function withoutMapping(address: string | undefined): string {
  // Each request asks, and most addresses need no look at more than their beginning.
  return address?.startsWith("::") ? address.replace(/^::ffff:(?=\d+\.)/i, "") : (address ?? "");
}

/** The address of the peer; "" when the connection has closed or has no address. */
export function remoteAddress(socket: Pick<Socket, "remoteAddress">): string {
  return withoutMapping(socket.remoteAddress);
}

/** The local address; "" when the connection has closed or has no address. */
export function localAddress(socket: Pick<Socket, "localAddress">): string {
  return withoutMapping(socket.localAddress);
}

/** An address without the interface of this machine at which it is reached: `fe80::1%eth0` is `fe80::1`. */
export function withoutZone(address: string): string {
  const cut = address.indexOf("%");
  return cut === -1 ? address : address.slice(0, cut);
}

/** An end of a connection as one text; IPv6 in brackets. Over a unix socket there is no port. */
export function addressText(host: string, port: number | undefined): string {
  return port === undefined ? host : joinHostPort(host, String(port));
}
