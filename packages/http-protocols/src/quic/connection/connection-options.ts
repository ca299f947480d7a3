import type { InitialKeys } from "../protection/initial-keys.ts";
import type { QuicStream } from "../streams/quic-stream.ts";
import type { HandshakeEvents, TlsHandshake } from "../tls/tls-handshake.ts";
import { defaultParameters, type TransportParameters } from "../tls/transport-parameters.ts";
import type { ConnectionIdRegistry, LocalId } from "./connection-ids.ts";
import type { PeerAddress } from "./network-path.ts";
import {
  ackDelayExponent,
  activeConnectionIdLimit,
  type ConnectionSettings,
  maxAckDelayMs,
} from "./settings.ts";

/** The reason why a connection ended. */
export interface CloseReason {
  /**
   * The side that ended the connection. "timeout": silence, a handshake that took too long, or no working path.
   * "reset": the peer sent a stateless reset.
   */
  readonly by: "us" | "peer" | "timeout" | "reset";
  /** Error code of RFC 9000, section 20, or of the application. The transport's code 0 means no error. */
  readonly code: number;
  /** True when `code` is an application's code; false for a transport code. */
  readonly application: boolean;
  /** Reason as text, for logs; "" when the peer sent none. */
  readonly reason: string;
  /** An unexpected error in the code of this side; undefined for errors of the peer. */
  readonly fault?: unknown;
}

/** Events of a connection, for its owner. */
export interface ConnectionEvents {
  /**
   * Called on servers before streams of early data are opened. The handshake is not done: somebody else may send
   * recorded packets of the client. The same packets are never taken twice.
   */
  onEarlyData?(): void;
  /** Called when the handshake is done. @param protocol the agreed ALPN protocol */
  onConnected(protocol: string): void;
  /** Called when the peer has opened a stream. The owner must set the stream's handler immediately. */
  onStream(stream: QuicStream): void;
  /** Called when a stream has ended in both directions and the peer knows it. Not called at the connection's end. */
  onStreamClosed(stream: QuicStream): void;
  /** Called with the server's token for the next connection; for clients only. The bytes are a view. */
  onToken?(token: Buffer): void;
  /** Called once, when the connection has ended with all its streams. It still needs `onTimeout` until `isOver`. */
  onClosed(reason: CloseReason): void;
  /** Called when datagrams wait for `takeDatagrams`, except during `receive` and `onTimeout`. */
  onWake(): void;
}

/** Everything that a new connection needs. */
export interface ConnectionOptions {
  /** This side's role. */
  readonly role: "client" | "server";
  /** Limits, which the handshake announces to the peer. */
  readonly settings: ConnectionSettings;
  readonly events: ConnectionEvents;
  readonly registry: ConnectionIdRegistry;
  /** First connection ID of this side. */
  readonly localId: LocalId;
  /** First connection ID of the peer. */
  readonly remoteId: Buffer;
  /** ID from which the Initial keys are made. */
  readonly initialId: Buffer;
  /** Initial keys, if they were already derived. */
  readonly initialKeys?: InitialKeys;
  /** Destination ID of the client's very first packet. */
  readonly originalDestinationId?: Buffer;
  /** The ID in the Retry, if there was one. */
  readonly retrySourceId?: Buffer;
  /** True when a token proved that the client receives at its address; for servers only. */
  readonly addressValidated?: boolean;
  /** Makes a token for the client's next connections; for servers only. */
  readonly newToken?: (address: PeerAddress) => Buffer;
  /** Peer's address, the first destination of datagrams. */
  readonly address: PeerAddress;
  /** Present time in milliseconds, on the clock of all later calls. */
  readonly now: number;
  readonly newHandshake: (events: HandshakeEvents, transportParameters: () => Buffer) => TlsHandshake;
}

/** The transport parameters that this side announces. */
export function ownParameters(options: ConnectionOptions): TransportParameters {
  const { settings, localId, role } = options;
  return {
    ...defaultParameters,
    maxIdleTimeoutMs: settings.maxIdleTimeoutMs,
    maxData: settings.maxData,
    maxStreamDataBidiLocal: settings.maxStreamData,
    maxStreamDataBidiRemote: settings.maxStreamData,
    maxStreamDataUni: settings.maxStreamData,
    maxStreamsBidi: settings.maxStreamsBidi,
    maxStreamsUni: settings.maxStreamsUni,
    maxUdpPayloadBytes: 1_500,
    ackDelayExponent,
    maxAckDelayMs,
    activeConnectionIdLimit,
    disableActiveMigration: false,
    initialSourceId: localId.id,
    originalDestinationId: role === "server" ? options.originalDestinationId : undefined,
    retrySourceId: role === "server" ? options.retrySourceId : undefined,
    statelessResetToken: role === "server" ? localId.resetToken : undefined,
  };
}
