import type { Socket } from "node:net";

/** Facts about a connection, known after its handshake. */
export interface TlsDetails {
  /** Server name in lower case; "" when the client sent no name. */
  readonly serverName: string;
  /**
   * The version in Node's form, such as `TLSv1.3`; stored here, because Node forgets the version when the connection
   * ends.
   */
  readonly version: string;
  /** The cipher suite by its name in the standard. */
  readonly cipher: string;
}

/** Details by socket. An entry is freed together with its socket. */
const details = new WeakMap<object, TlsDetails>();

/** Called once, when the handshake is done. */
export function setTlsDetails(socket: Socket, known: TlsDetails): void {
  details.set(socket, known);
}

/** @returns undefined for a connection without TLS */
export function tlsDetails(socket: Socket): TlsDetails | undefined {
  return details.get(socket);
}
