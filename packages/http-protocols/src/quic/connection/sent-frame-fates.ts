import type { SentPacket } from "../recovery/sent-packets.ts";
import type { SentFrame } from "../streams/sent-frame.ts";
import type { ConnectionParts } from "./connection-parts.ts";

/** Handles the acknowledgment of packets, frame by frame. */
export function onPacketsAcked(parts: ConnectionParts, packets: readonly SentPacket<SentFrame>[]): void {
  for (const { frames } of packets) {
    for (const frame of frames) {
      onFrameAcked(parts, frame);
    }
  }
}

/** Marks the frames of lost packets to be sent again. */
export function sendAgain(
  parts: ConnectionParts,
  packets: readonly SentPacket<SentFrame>[],
  now: number,
): void {
  for (const { frames } of packets) {
    for (const frame of frames) {
      sendFrameAgain(parts, frame, now);
    }
  }
}

/**
 * An acknowledged ACK frame lets this side forget the ranges in it: RFC 9000, section 13.2.4. Other frames free
 * data that was kept for retransmission.
 */
function onFrameAcked({ spaces, streams, remoteIds, mtu }: ConnectionParts, frame: SentFrame): void {
  switch (frame.kind) {
    case "ack":
      spaces[frame.space].received.forgetUpTo(frame.largest);
      break;
    case "crypto":
      spaces[frame.space].cryptoToSend.onAcked(frame.piece);
      break;
    case "retireConnectionId":
      remoteIds.onRetirementAcked();
      break;
    case "sizeProbe":
      mtu.onProbeAcked(frame.bytes);
      break;
    default:
      streams.onAcked(frame);
  }
}

/**
 * Marks the frame's content to be sent again. Lost ACK and PING frames are not repeated, because newer ones replace
 * them. Source: RFC 9000, section 13.3
 */
function sendFrameAgain(parts: ConnectionParts, frame: SentFrame, now: number): void {
  const { spaces, streams, localIds, remoteIds, mtu } = parts;
  switch (frame.kind) {
    case "sizeProbe":
      mtu.onProbeLost(frame.bytes, now);
      break;
    case "crypto":
      spaces[frame.space].cryptoToSend.onLost(frame.piece);
      break;
    case "handshakeDone":
      parts.handshakeDoneDue = true;
      break;
    case "newToken":
      parts.newToken = frame.token;
      break;
    case "newConnectionId":
      if (localIds.get(frame.sequence) !== undefined) {
        localIds.announcements.add(frame.sequence);
      }
      break;
    case "retireConnectionId":
      remoteIds.retirements.add(frame.sequence);
      break;
    default:
      streams.onLost(frame);
  }
}
