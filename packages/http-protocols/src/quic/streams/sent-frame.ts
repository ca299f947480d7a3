import type { PacketSpaceName } from "../wire/packet-header.ts";
import type { QuicStream } from "./quic-stream.ts";
import type { SentPiece } from "./send-buffer.ts";

/** Record of a sent frame: the data to free after an acknowledgment, or to send again after a loss. */
export type SentFrame =
  | { readonly kind: "ping" | "handshakeDone" | "maxData" }
  /** `largest`: the largest number that the acknowledgment named. */
  | { readonly kind: "ack"; readonly space: PacketSpaceName; readonly largest: number }
  | { readonly kind: "crypto"; readonly space: PacketSpaceName; readonly piece: SentPiece }
  | { readonly kind: "stream"; readonly stream: QuicStream; readonly piece: SentPiece; readonly fin: boolean }
  | { readonly kind: "resetStream" | "stopSending" | "maxStreamData"; readonly stream: QuicStream }
  | { readonly kind: "maxStreams"; readonly bidi: boolean }
  | { readonly kind: "newConnectionId" | "retireConnectionId"; readonly sequence: number }
  | { readonly kind: "newToken"; readonly token: Buffer }
  | { readonly kind: "sizeProbe"; readonly bytes: number }
  | { readonly kind: "pathChallenge" };
