import type { Socket } from "node:net";

/** Facts about a connection since its handshake. */
export interface TlsDetails {
  /** Server name in lower case; "" when the client sent none. */
  readonly serverName: string;
  /** Node's name, such as `TLSv1.3`; stored here, because Node forgets it when the connection is cut. */
  readonly version: string;
  /** The cipher suite by its name in the standard. */
  readonly cipher: string;
}

/** Details by socket. An entry is freed with its connection. */
const details = new WeakMap<object, TlsDetails>();

/** Called once, when the handshake is done. */
export function setTlsDetails(socket: Socket, known: TlsDetails): void {
  details.set(socket, known);
}

/** @returns undefined for a connection without TLS */
export function tlsDetails(socket: Socket): TlsDetails | undefined {
  return details.get(socket);
}
