import type { Socket } from "node:net";
import { joinHostPort } from "server-core/go/host-port";

/** `127.0.0.1` for `::ffff:127.0.0.1`: a socket for IPv4 and IPv6 reports IPv4 addresses in this form. */
function withoutMapping(address: string | undefined): string {
  // This runs for each request, and for most addresses the first characters are enough.
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

/** An address without its zone, the network interface of this machine: `fe80::1%eth0` becomes `fe80::1`. */
export function withoutZone(address: string): string {
  const cut = address.indexOf("%");
  return cut === -1 ? address : address.slice(0, cut);
}

/** One end of a connection as text, with IPv6 in brackets. A unix socket has no port. */
export function addressText(host: string, port: number | undefined): string {
  return port === undefined ? host : joinHostPort(host, String(port));
}
