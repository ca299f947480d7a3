import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { cipherIds } from "certificates/tls/connection/cipher-names";
import { setTlsDetails } from "certificates/tls/connection/tls-details";
import type { Connection, PeerAddress } from "http-protocols/quic";

/** A connection of QUIC, as far as handlers and logs look at a socket of TCP. */
export class H3Socket {
  readonly encrypted = true;
  readonly alpnProtocol = "h3";
  readonly localAddress: string;
  readonly localPort: number;
  servername = "";
  destroyed = false;
  /** Bytes of all answers that were handed to the connection. */
  bytesWritten = 0;
  /** Bytes of these that were not sent yet, at the last look. */
  writableLength = 0;
  readonly #connection: Connection;
  #certificate: X509Certificate | undefined;

  /** @param local where datagrams come to */
  constructor(connection: Connection, local: PeerAddress) {
    this.#connection = connection;
    this.localAddress = local.address;
    this.localPort = local.port;
  }

  /** Where the client is now: it may move. */
  get remoteAddress(): string {
    return this.#connection.address.address;
  }

  get remotePort(): number {
    return this.#connection.address.port;
  }

  /** The handshake is done. @param serverName as the client named it, "" when it did not */
  secured(serverName: string): void {
    this.servername = serverName;
    const suite = this.#connection.cipherSuite;
    const [cipher = ""] = [...cipherIds].find(([, id]) => id === suite) ?? [];
    setTlsDetails(this.asSocket, { serverName, version: "TLSv1.3", cipher });
  }

  isSessionReused(): boolean {
    return this.#connection.handshakePeer?.resumed === true;
  }

  /** The client's own certificate, where the server asked for one. */
  getPeerX509Certificate(): X509Certificate | undefined {
    const [own] = this.#connection.handshakePeer?.certificates ?? [];
    if (own !== undefined) {
      this.#certificate ??= new X509Certificate(own);
    }
    return this.#certificate;
  }

  /** Streams name their connection by this type; none reads or writes it. */
  get asSocket(): Socket {
    return this as unknown as Socket;
  }
}
