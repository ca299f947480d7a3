import type { CipherSuite } from "../protection/cipher-suites.ts";

/** Levels of encryption that carry handshake messages. */
export type CryptoLevel = "initial" | "handshake" | "1rtt";

/** The client, as its handshake showed it. */
export interface HandshakePeer {
  /** Lower case; undefined when the client sent none. */
  readonly serverName: string | undefined;
  /** DER, its own certificate first; empty without one, and after a ticket. */
  readonly certificates: readonly Buffer[];
  /** True when a ticket replaced certificates. */
  readonly resumed: boolean;
}

/** The connection hears these from its handshake, in this order: keys of a level before its bytes. */
export interface HandshakeEvents {
  /** Bytes for CRYPTO frames. */
  onCrypto(level: CryptoLevel, bytes: Buffer): void;
  /** Secrets that packets to the peer are protected with. */
  onWriteSecret(level: "handshake" | "1rtt", suite: CipherSuite, secret: Buffer): void;
  onReadSecret(level: "handshake" | "1rtt", suite: CipherSuite, secret: Buffer): void;
  /** The peer's transport parameters, before anything can be sent at the level "1rtt". */
  onTransportParameters(bytes: Buffer): void;
  /** The peer's Finished was right, and its certificate was accepted. */
  onHandshakeDone(protocol: string, peer?: HandshakePeer): void;
  /** The handshake failed in an asynchronous step, such as the choice of a certificate. */
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
