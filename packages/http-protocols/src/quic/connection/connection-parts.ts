import type { LossRecovery } from "../recovery/loss-recovery.ts";
import type { Pacer } from "../recovery/pacer.ts";
import type { PathMtu } from "../recovery/path-mtu.ts";
import type { SentFrame } from "../streams/sent-frame.ts";
import type { StreamSet } from "../streams/stream-set.ts";
import type { PacketSpaceName } from "../wire/packet-header.ts";
import type { LocalIds, RemoteIds } from "./connection-ids.ts";
import type { EarlyData } from "./early-data.ts";
import type { IdleFrames } from "./idle-frames.ts";
import type { NetworkPath, PeerAddress } from "./network-path.ts";
import type { OneRttKeys } from "./one-rtt-keys.ts";
import type { PacketSpace } from "./packet-space.ts";

/** State that the parts of a connection share. */
export interface ConnectionParts {
  readonly role: "client" | "server";
  readonly spaces: Readonly<Record<PacketSpaceName, PacketSpace>>;
  readonly oneRtt: OneRttKeys;
  readonly earlyData: EarlyData;
  readonly recovery: LossRecovery<SentFrame>;
  readonly idleFrames: IdleFrames;
  readonly streams: StreamSet;
  readonly localIds: LocalIds;
  readonly remoteIds: RemoteIds;
  /** This side's connection ID in long headers. */
  readonly sourceId: Buffer;
  /** Token of a Retry, for the client's Initial packets. */
  token: Buffer;
  path: NetworkPath;
  /** Size of the largest datagram that may be sent. */
  readonly mtu: PathMtu;
  /** Limits the rate of datagrams; undefined without pacing. */
  readonly pacer: Pacer | undefined;
  /** Time when datagrams held back by the pacer may be sent; undefined when there are none. */
  pacedUntil: number | undefined;
  handshakeDoneDue: boolean;
  /** Token for the client's next connections that must be sent. */
  newToken: Buffer | undefined;
  /** Pending responses to PATH_CHALLENGE, one per address. Above a limit, a new one replaces the oldest. */
  readonly pathResponses: {
    readonly data: Buffer;
    readonly address: PeerAddress;
    readonly allowance: number;
  }[];
}

/** A datagram and its destination. */
export interface OutgoingDatagram {
  readonly bytes: Buffer;
  readonly address: PeerAddress;
}
