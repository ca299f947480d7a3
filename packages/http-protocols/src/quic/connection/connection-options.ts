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

/** Why a connection ended. */
export interface CloseReason {
  /** "timeout": nothing arrived for too long, or the handshake took too long. */
  readonly by: "us" | "peer" | "timeout" | "reset";
  /** Code of RFC 9000, section 20, or of the application; 0 of the transport is no error. */
  readonly code: number;
  /** True when `code` is the application's; false: the transport's. */
  readonly application: boolean;
  /** For people; "" when the peer gave none. */
  readonly reason: string;
  /** An error of our own code; undefined for errors of the peer. */
  readonly fault?: unknown;
}

/** Events of a connection, for its owner. */
export interface ConnectionEvents {
  /** The handshake is done. */
  onConnected(protocol: string): void;
  /** The peer opened a stream; set its handler at once. */
  onStream(stream: QuicStream): void;
  /** Both directions of a stream ended, and the peer knows it. Not called when the connection ends. */
  onStreamClosed(stream: QuicStream): void;
  /** The server gave a token for the next connection to it; for clients only. The bytes are a view. */
  onToken?(token: Buffer): void;
  /** All streams have ended. The connection still needs its timeouts until `isOver`. */
  onClosed(reason: CloseReason): void;
  /** Something waits for `takeDatagrams`, outside of `receive` and `onTimeout`. */
  onWake(): void;
}

/** Everything that a new connection needs. */
export interface ConnectionOptions {
  /** Which end of the connection this is. */
  readonly role: "client" | "server";
  /** Limits, which the handshake announces to the peer. */
  readonly settings: ConnectionSettings;
  readonly events: ConnectionEvents;
  readonly registry: ConnectionIdRegistry;
  /** First id of ours. */
  readonly localId: LocalId;
  /** First id of the peer. */
  readonly remoteId: Buffer;
  /** ID from which the Initial keys are made. */
  readonly initialId: Buffer;
  /** The keys, if they were already made. */
  readonly initialKeys?: InitialKeys;
  /** Id of the client's very first packet. */
  readonly originalDestinationId?: Buffer;
  /** The ID in the Retry, if there was one. */
  readonly retrySourceId?: Buffer;
  /** A token showed that the client receives at its address; for servers only. */
  readonly addressValidated?: boolean;
  /** Makes a token for the client's next connections; for servers only. */
  readonly newToken?: (address: PeerAddress) => Buffer;
  /** First destination of its datagrams. */
  readonly address: PeerAddress;
  /** Milliseconds; the clock of all later calls. */
  readonly now: number;
  readonly newHandshake: (events: HandshakeEvents, transportParameters: () => Buffer) => TlsHandshake;
}

/** The announcement of a connection about itself. */
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
