import type { CongestionControl } from "../recovery/loss-recovery.ts";

/** Time limits and sizes of a connection. */
export interface ConnectionSettings {
  /** Milliseconds without a packet after which the connection ends. The lower value of both ends applies. */
  readonly maxIdleTimeoutMs: number;
  /** Milliseconds from the first packet until the handshake is done. */
  readonly handshakeTimeoutMs: number;
  /** Maximum number of bytes of all streams that may be unconsumed; the client must wait at this number. */
  readonly maxData: number;
  /** Maximum number of bytes of one stream that may be unconsumed; the client must wait at this number. */
  readonly maxStreamData: number;
  /** Maximum number of bidirectional streams that the peer may have open at a time. */
  readonly maxStreamsBidi: number;
  /** Maximum number of unidirectional streams that the peer may have open at a time. */
  readonly maxStreamsUni: number;
  /** Size of datagrams before the path is known to support larger ones. */
  readonly datagramBytes: number;
  /** Size limit of datagrams to try; with `datagramBytes` or less, none are tried. */
  readonly maxDatagramBytes: number;
  /** Congestion control algorithm. `cubic` recovers faster on long paths. */
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
  // HTTP/3 needs three streams, and clients may open further streams of unknown types.
  maxStreamsUni: 8,
  // The smallest path that IPv6 allows has 1,280 bytes, less 48 for the headers of IPv6 and UDP.
  datagramBytes: 1_232,
  // Size for Ethernet with IPv6.
  maxDatagramBytes: 1_452,
  congestionControl: "cubic",
  pacing: true,
};

/** Longest delay of acknowledgments for 1-RTT packets, in milliseconds. */
export const maxAckDelayMs = 25;
export const ackDelayExponent = 3;
/** Connection IDs of the peer that are stored; transport parameters announce this number. */
export const activeConnectionIdLimit = 4;
/** Number of probe timeouts that closing, draining and a path check last. Source: RFC 9000, sections 8.2.4 and 10.2 */
export const closingProbeTimeouts = 3;
