import type { CongestionControl } from "../recovery/loss-recovery.ts";

/** Limits of a connection. */
export interface ConnectionSettings {
  /** Time without a packet after which the connection ends; the lower value of both ends counts. */
  readonly maxIdleTimeoutMs: number;
  /** From the first packet until the handshake is done. */
  readonly handshakeTimeoutMs: number;
  /** Bytes of all streams that may arrive before they are consumed. */
  readonly maxData: number;
  /** Bytes of one stream that may arrive before they are consumed. */
  readonly maxStreamData: number;
  /** Streams that the peer may have open at a time. */
  readonly maxStreamsBidi: number;
  /** The same for unidirectional streams. */
  readonly maxStreamsUni: number;
  /** Size of datagrams before the path is known to support larger ones. */
  readonly datagramBytes: number;
  /** Size limit of datagrams to try; with `datagramBytes` or less, none are tried. */
  readonly maxDatagramBytes: number;
  /** The rules for the size of the window. `cubic` recovers faster on long paths. */
  readonly congestionControl: CongestionControl;
  /** True: the datagrams of a window are spread over a round trip. */
  readonly pacing: boolean;
}

/** One connection stores up to 1 MiB of unread data; it ends after 30 s without a packet. */
export const defaultSettings: ConnectionSettings = {
  maxIdleTimeoutMs: 30_000,
  handshakeTimeoutMs: 10_000,
  maxData: 1_048_576,
  maxStreamData: 262_144,
  maxStreamsBidi: 100,
  // HTTP/3 needs three, and clients open more of unknown types.
  maxStreamsUni: 8,
  // The smallest path that IPv6 allows has 1,280 bytes, less 48 for the headers of IPv6 and UDP.
  datagramBytes: 1_232,
  // Ethernet with IPv6.
  maxDatagramBytes: 1_452,
  congestionControl: "cubic",
  pacing: true,
};

/** Longest delay of an acknowledgment of 1-RTT packets. */
export const maxAckDelayMs = 25;
export const ackDelayExponent = 3;
/** Limit of stored connection IDs of the peer. */
export const activeConnectionIdLimit = 4;
/** Length of closing, draining and of a path's check, in probe timeouts. Source: RFC 9000, sections 8.2.4 and 10.2 */
export const closingProbeTimeouts = 3;
