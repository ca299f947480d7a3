import type { CipherSuite } from "../protection/cipher-suites.ts";

/** Encryption levels whose packets contain handshake messages. */
export type CryptoLevel = "initial" | "handshake" | "1rtt";

/** Data of the client from its handshake. */
export interface HandshakePeer {
  /** Server name in lower case; undefined when the client sent none. */
  readonly serverName: string | undefined;
  /** Client's chain in DER, its own certificate first; empty without a certificate, and after a ticket. */
  readonly certificates: readonly Buffer[];
  /** True when a ticket resumed the session, so no certificates were sent. */
  readonly resumed: boolean;
}

/** Events of the handshake for its connection. Keys of a level are reported before its bytes. */
export interface HandshakeEvents {
  /** Called with bytes for CRYPTO frames. */
  onCrypto(level: CryptoLevel, bytes: Buffer): void;
  /** Called with the secret for packets to the peer. */
  onWriteSecret(level: "handshake" | "1rtt", suite: CipherSuite, secret: Buffer): void;
  onReadSecret(level: "handshake" | "1rtt", suite: CipherSuite, secret: Buffer): void;
  /**
   * Called once by servers, when they know whether they take early data.
   * @param secret secret for packets with early data; undefined: they are dropped, and the client sends the data again
   */
  onEarlyData(suite: CipherSuite, secret: Buffer | undefined): void;
  /** Called with the peer's transport parameters, before packets of the level "1rtt" can be sent. */
  onTransportParameters(bytes: Buffer): void;
  /** Called when the peer's Finished is valid and its certificate is accepted. */
  onHandshakeDone(protocol: string, peer?: HandshakePeer): void;
  /** Called when an asynchronous step fails, such as the choice of a certificate. */
  onHandshakeError(error: unknown): void;
}

/** The TLS side of a connection. */
export interface TlsHandshake {
  /**
   * Takes bytes of CRYPTO frames in order.
   * @throws QuicError with an alert
   */
  receive(level: CryptoLevel, bytes: Buffer): void;
}
