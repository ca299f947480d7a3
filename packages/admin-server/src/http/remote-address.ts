import type { Socket } from "node:net";

/**
 * The address at the other end: IPv4 as such, not in the IPv6 form (`::ffff:127.0.0.1`) in which a socket that listens
 * for both gives it. "" where the connection is gone or has no address.
 */
export function remoteAddress(socket: Pick<Socket, "remoteAddress">): string {
  return socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/, "") ?? "";
}
