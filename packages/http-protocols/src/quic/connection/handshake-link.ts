import type { CipherSuite } from "../protection/cipher-suites.ts";
import { packetKeysOf } from "../protection/packet-keys.ts";
import { QuicError, transportErrors } from "../quic-error.ts";
import type { CryptoLevel, HandshakeEvents, HandshakePeer } from "../tls/tls-handshake.ts";
import { readTransportParameters, type TransportParameters } from "../tls/transport-parameters.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import type { ConnectionParts } from "./connection-parts.ts";

/** Passes the results of the handshake to the parts of the connection. */
export class HandshakeLink implements HandshakeEvents {
  readonly #options: ConnectionOptions;
  readonly #parts: ConnectionParts;
  readonly #onError: (error: unknown) => void;
  /** Transport parameters of the peer; undefined before they arrive. */
  peer: TransportParameters | undefined;
  /** True when the handshake has ended on this side. */
  isDone = false;
  /** Agreed ALPN protocol; "" before the handshake is done. */
  protocol = "";
  /** The client's data from its handshake; undefined before the handshake is done, and on the client's side. */
  handshakePeer: HandshakePeer | undefined;
  /** TLS number of the agreed cipher suite; 0 before there is one. */
  cipherSuite = 0;

  /** @param onError ends the connection after an error outside of `receive` */
  constructor(options: ConnectionOptions, parts: ConnectionParts, onError: (error: unknown) => void) {
    this.#options = options;
    this.#parts = parts;
    this.#onError = onError;
  }

  /** Queues handshake bytes for CRYPTO frames of a level. */
  onCrypto(level: CryptoLevel, bytes: Buffer): void {
    this.#parts.spaces[level === "1rtt" ? "application" : level].cryptoToSend.write(bytes);
    this.#options.events.onWake();
  }

  /** Stores the keys for packets to the peer at a level. */
  onWriteSecret(level: "handshake" | "1rtt", suite: CipherSuite, secret: Buffer): void {
    const { spaces, oneRtt, recovery, role } = this.#parts;
    this.cipherSuite = suite.id;
    if (level === "1rtt") {
      oneRtt.setWriteSecret(suite, secret);
      return;
    }
    spaces.handshake.keys.write = packetKeysOf(suite, secret);
    if (role === "client") {
      recovery.idleProbe = "handshake";
    }
  }

  /** Stores the keys for packets from the peer at a level. */
  onReadSecret(level: "handshake" | "1rtt", suite: CipherSuite, secret: Buffer): void {
    if (level === "1rtt") {
      this.#parts.oneRtt.setReadSecret(suite, secret);
    } else {
      this.#parts.spaces.handshake.keys.read = packetKeysOf(suite, secret);
    }
  }

  /** Decides about 0-RTT packets. */
  onEarlyData(suite: CipherSuite, secret: Buffer | undefined): void {
    this.cipherSuite = suite.id;
    this.#parts.earlyData.decide(suite, secret);
    if (secret !== undefined) {
      this.#options.events.onEarlyData?.();
    }
  }

  /** Applies the peer's limits. @throws QuicError TRANSPORT_PARAMETER_ERROR for invalid limits or wrong IDs */
  onTransportParameters(bytes: Buffer): void {
    const { remoteIds, recovery, streams, role, mtu } = this.#parts;
    const peer = readTransportParameters(bytes, role === "server" ? "client" : "server");
    this.#checkIds(peer);
    this.peer = peer;
    if (role === "client") {
      remoteIds.replaceFirst(remoteIds.current, peer.statelessResetToken);
    }
    recovery.peerMaxAckDelayMs = peer.maxAckDelayMs;
    mtu.limit = Math.min(mtu.limit, peer.maxUdpPayloadBytes);
    mtu.current = Math.min(mtu.current, peer.maxUdpPayloadBytes);
    streams.onPeerParameters(peer);
  }

  /** Called when this side has finished. A server confirms the handshake now, a client after HANDSHAKE_DONE. */
  onHandshakeDone(protocol: string, peer?: HandshakePeer): void {
    this.isDone = true;
    this.protocol = protocol;
    this.handshakePeer = peer;
    this.#parts.localIds.fill(this.peerIdLimit);
    if (this.#parts.role === "server") {
      this.#parts.handshakeDoneDue = true;
      this.#parts.newToken = this.#options.newToken?.(this.#parts.path.address);
      this.confirm();
    }
    this.#options.events.onConnected(protocol);
  }

  onHandshakeError(error: unknown): void {
    this.#onError(error);
  }

  /** Passes on the server's token for the next connection. */
  onToken(token: Buffer): void {
    this.#options.events.onToken?.(token);
  }

  /** Number of this side's connection IDs that the peer stores. */
  get peerIdLimit(): number {
    return this.peer?.activeConnectionIdLimit ?? 2;
  }

  /** Confirms the handshake: both sides have finished, so old keys are discarded. Source: RFC 9001, section 4.1.2 */
  confirm(): void {
    this.#parts.recovery.handshakeConfirmed = true;
    this.#parts.recovery.idleProbe = undefined;
    this.discard("initial");
    this.discard("handshake");
  }

  /** Forgets the keys of a level, and the packets sent with them. Source: RFC 9001, section 4.9 */
  discard(name: "initial" | "handshake"): void {
    const { spaces, recovery } = this.#parts;
    if (!spaces[name].isDiscarded) {
      spaces[name].discard();
      recovery.discard(name);
    }
  }

  /** Checks that nobody has changed the connection IDs of the first packets. Source: RFC 9000, section 7.3 */
  #checkIds(peer: TransportParameters): void {
    const { originalDestinationId, retrySourceId } = this.#options;
    const ofServer =
      this.#parts.role === "server" ||
      (sameId(peer.originalDestinationId, originalDestinationId) &&
        sameId(peer.retrySourceId, retrySourceId));
    if (!ofServer || !sameId(peer.initialSourceId, this.#parts.remoteIds.current)) {
      throw new QuicError(
        transportErrors.transportParameterError,
        "connection ids of the handshake differ",
        0x06,
      );
    }
  }
}

const sameId = (one: Buffer | undefined, other: Buffer | undefined) =>
  one === undefined || other === undefined ? one === other : one.equals(other);
