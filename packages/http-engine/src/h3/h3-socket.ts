import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { cipherIds } from "certificates/tls/connection/cipher-names";
import { setTlsDetails } from "certificates/tls/connection/tls-details";
import type { Connection, PeerAddress } from "http-protocols/quic";

/** A QUIC connection with the properties of a TCP socket that handlers and logs read. */
export class H3Socket {
  readonly encrypted = true;
  readonly alpnProtocol = "h3";
  readonly localAddress: string;
  readonly localPort: number;
  servername = "";
  destroyed = false;
  readonly #connection: Connection;
  #certificate: X509Certificate | undefined;

  /** @param local address and port that the UDP socket is bound to */
  constructor(connection: Connection, local: PeerAddress) {
    this.#connection = connection;
    this.localAddress = local.address;
    this.localPort = local.port;
  }

  /** Present address of the client, which may move to another network. */
  get remoteAddress(): string {
    return this.#connection.address.address;
  }

  get remotePort(): number {
    return this.#connection.address.port;
  }

  /** Called with the first early data, or after the handshake. @param serverName the client's; "" when it sent none */
  secured(serverName: string): void {
    this.servername = serverName;
    const suite = this.#connection.cipherSuite;
    const [cipher = ""] = [...cipherIds].find(([, id]) => id === suite) ?? [];
    setTlsDetails(this.asSocket, { serverName, version: "TLSv1.3", cipher });
  }

  isSessionReused(): boolean {
    const { handshakePeer, tookEarlyData } = this.#connection;
    return handshakePeer?.resumed ?? tookEarlyData;
  }

  /** The client's certificate; undefined when the server requested none or the client sent none. */
  getPeerX509Certificate(): X509Certificate | undefined {
    const [own] = this.#connection.handshakePeer?.certificates ?? [];
    if (own !== undefined) {
      this.#certificate ??= new X509Certificate(own);
    }
    return this.#certificate;
  }

  /** The type that streams declare for their connection. No stream reads or writes this socket. */
  get asSocket(): Socket {
    return this as unknown as Socket;
  }
}
