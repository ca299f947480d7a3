import { tagBytes } from "../protection/packet-cipher.ts";
import { type PacketKeys, sealPacket } from "../protection/packet-keys.ts";
import type { LossRecovery } from "../recovery/loss-recovery.ts";
import type { SentFrame } from "../streams/sent-frame.ts";
import { ByteWriter, varintBytes } from "../wire/byte-writer.ts";
import { frameTypes, type NumberRange } from "../wire/frames.ts";
import {
  minInitialDatagramBytes,
  type PacketSpaceName,
  packetNumberBytes,
  packetSpaces,
  writePacketHeader,
} from "../wire/packet-header.ts";
import type { ConnectionParts, OutgoingDatagram } from "./connection-parts.ts";
import type { PeerAddress } from "./network-path.ts";
import type { PacketSpace } from "./packet-space.ts";
import { ackDelayExponent } from "./settings.ts";

/** Minimum number of bytes from the packet number to the tag, needed for header protection. */
const minNumberAndPayloadBytes = 4;
/** Minimum number of bytes that must be allowed for a datagram; otherwise none is built. */
export const minDatagramBytes = 128;
/** Maximum number of ranges in one acknowledgment. Older ranges are left out. */
const maxAckRanges = 32;
/** Maximum size of a NEW_CONNECTION_ID frame: type, two numbers, an ID of 20 bytes and its token. */
const newConnectionIdBytes = 48;

/** A packet in the buffer of its datagram, not encrypted yet. */
interface PlainPacket {
  /** Space whose keys encrypt the packet. */
  readonly space: PacketSpace;
  /** Offset of the packet's first byte in the datagram. */
  readonly from: number;
  /** Position of the Length field of a long header; -1 for a short one. */
  readonly lengthAt: number;
  /** Offset of the packet number, where header protection starts. */
  readonly numberAt: number;
  /** The full packet number. The header contains only its last bytes. */
  readonly number: number;
  /** Offset after the frames; the tag starts here. */
  payloadEnd: number;
  /** Frames of the packet, whose content is sent again when the packet is lost. */
  readonly frames: SentFrame[];
  /** True when the peer must acknowledge the packet. Source: RFC 9002, section 2 */
  readonly elicitsAck: boolean;
  /** True for a packet that only tries a larger size. Its loss is no sign of congestion. */
  readonly isSizeProbe?: boolean;
}

/** A datagram, with the facts that the connection needs. */
export interface BuiltDatagram extends OutgoingDatagram {
  /** Packet spaces of the datagram's packets. */
  readonly spaces: readonly PacketSpaceName[];
  /** True when the peer must acknowledge the datagram: it contains more than acknowledgments, padding and a close. */
  readonly elicitsAck: boolean;
}

/** A frame that must be sent to one address. */
interface PathFrame {
  /** PATH_CHALLENGE or PATH_RESPONSE. */
  readonly type: number;
  /** Eight bytes. */
  readonly data: Buffer;
  readonly address: PeerAddress;
  /** False for a frame whose address may get too few bytes for padding. */
  readonly isPadded: boolean;
  /** Bytes that may still be sent to this address. Default: enough. */
  readonly allowance?: number;
}

/**
 * Builds datagrams from the pending data of a connection's parts. A datagram contains at most one packet of each
 * space, in the order Initial, Handshake, 1-RTT.
 *
 * A packet is written unencrypted, then padded, and encrypted last. The tag is at the end. Frames in a
 * packet, in their order: ACK, CRYPTO, control frames, frames of streams.
 */
export class DatagramBuilder {
  readonly #parts: ConnectionParts;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /**
   * The next datagram. Responses to path challenges come first, then own challenges, frames, and finally a size probe.
   * @returns undefined when nothing needs to be sent, or nothing may be sent
   */
  build(now: number): BuiltDatagram | undefined {
    const { path, pathResponses } = this.#parts;
    const response = pathResponses.shift();
    if (response !== undefined) {
      const { data, address, allowance } = response;
      const type = frameTypes.pathResponse;
      return this.#buildPathPacket({ type, data, address, isPadded: true, allowance }, now);
    }
    const challenge = path.takeChallenge(now, minInitialDatagramBytes);
    if (challenge !== undefined) {
      const { address } = path;
      return this.#buildPathPacket({ type: frameTypes.pathChallenge, ...challenge, address }, now);
    }
    return this.#buildPackets(now) ?? this.#buildSizeProbe(now);
  }

  /** A datagram that only tries a larger size. Source: RFC 8899 */
  #buildSizeProbe(now: number): BuiltDatagram | undefined {
    const { mtu, path, recovery, spaces, oneRtt } = this.#parts;
    const bytes = recovery.handshakeConfirmed && path.validated ? mtu.probeBytes(now) : undefined;
    if (bytes === undefined || !oneRtt.canWrite || recovery.congestion.available < bytes) {
      return undefined;
    }
    const writer = new ByteWriter(bytes);
    const packet = this.#writePacket(spaces.application, writer, bytes, () => {
      writer.u8(frameTypes.ping);
      return { frames: [{ kind: "sizeProbe", bytes }], elicitsAck: true };
    });
    if (packet === undefined) {
      return undefined;
    }
    mtu.onProbeSent(bytes);
    this.#pad(writer, packet, bytes);
    return this.#finish(writer, [{ ...packet, isSizeProbe: true }], bytes, now);
  }

  /** A datagram that ends the connection, at each level whose keys the peer may have. */
  buildClose(
    close: {
      readonly code: number;
      readonly frameType: number;
      readonly application: boolean;
      readonly reason: string;
    },
    now: number,
  ): OutgoingDatagram | undefined {
    const maxBytes = this.#maxBytes();
    const writer = new ByteWriter(maxBytes);
    const packets: PlainPacket[] = [];
    for (const space of this.#writableSpaces()) {
      const early = space.name !== "application";
      const packet = this.#writePacket(space, writer, maxBytes, (room) => {
        // Before the end of the handshake, others could read an application's reason: RFC 9000, section 10.2.3.
        const application = close.application && !early;
        const reason = early && close.application ? "" : close.reason.slice(0, Math.max(room - 32, 0));
        const code = close.application && early ? 0x0c : close.code;
        writer.u8(application ? frameTypes.applicationClose : frameTypes.connectionClose).varint(code);
        if (!application) {
          writer.varint(close.frameType);
        }
        const text = Buffer.from(reason, "latin1");
        writer.varint(text.length).bytes(text);
        return { frames: [], elicitsAck: false };
      });
      if (packet !== undefined) {
        packets.push(packet);
      }
    }
    return packets.length === 0 ? undefined : this.#finish(writer, packets, maxBytes, now);
  }

  /** Size that the path carries, cut to the allowance of an address that is not validated: RFC 9000, section 8.1. */
  #maxBytes(): number {
    const { mtu, path } = this.#parts;
    return Math.max(Math.min(mtu.current, path.dataAllowance), 0);
  }

  /** Spaces that have keys for sending. */
  #writableSpaces(): PacketSpace[] {
    const { spaces, oneRtt } = this.#parts;
    return packetSpaces
      .map((name) => spaces[name])
      .filter(({ name, keys }) => (name === "application" ? oneRtt.canWrite : keys.write !== undefined));
  }

  /** A datagram with pending frames; undefined when there are none, or the window is full. */
  #buildPackets(now: number): BuiltDatagram | undefined {
    const maxBytes = this.#maxBytes();
    if (maxBytes < minDatagramBytes) {
      return undefined;
    }
    const writer = new ByteWriter(maxBytes);
    const packets: PlainPacket[] = [];
    for (const space of this.#writableSpaces()) {
      if (space.name === "initial" && maxBytes < minInitialDatagramBytes) {
        continue;
      }
      const packet = this.#writePacket(space, writer, maxBytes, (room) =>
        this.#writeFrames(space, writer, room, now),
      );
      if (packet !== undefined) {
        packets.push(packet);
      }
    }
    return packets.length === 0 ? undefined : this.#finish(writer, packets, maxBytes, now);
  }

  /** A datagram with one path frame, and padding where it is allowed. */
  #buildPathPacket(frame: PathFrame, now: number): BuiltDatagram | undefined {
    const { type, data, address, isPadded, allowance = Number.POSITIVE_INFINITY } = frame;
    const { spaces, mtu, oneRtt } = this.#parts;
    const maxBytes = Math.min(mtu.current, allowance);
    if (!oneRtt.canWrite || maxBytes < minDatagramBytes) {
      return undefined;
    }
    const writer = new ByteWriter(maxBytes);
    const packet = this.#writePacket(spaces.application, writer, maxBytes, () => {
      writer.u8(type).bytes(data);
      return { frames: [], elicitsAck: true };
    });
    if (packet === undefined) {
      return undefined;
    }
    if (isPadded) {
      // A path must carry datagrams of this size: RFC 9000, section 8.2.1.
      this.#pad(writer, packet, Math.min(minInitialDatagramBytes, maxBytes));
    }
    return { ...this.#finish(writer, [packet], maxBytes, now), address };
  }

  /** @param fill writes the payload, at most `room` bytes. When it returns undefined, the packet is dropped */
  #writePacket(
    space: PacketSpace,
    writer: ByteWriter,
    maxBytes: number,
    fill: (room: number) => { frames: SentFrame[]; elicitsAck: boolean } | undefined,
  ): PlainPacket | undefined {
    const { remoteIds, sourceId, token, recovery, oneRtt } = this.#parts;
    const sent = recovery.sent[space.name];
    const number = sent.nextNumber;
    const numberBytes = packetNumberBytes(number, sent.largestAcked);
    const from = writer.length;
    const lengthAt = writePacketHeader(writer, {
      type: space.type,
      destinationId: remoteIds.current,
      sourceId,
      token,
      numberBytes,
      keyPhase: oneRtt.phase,
    });
    const numberAt = writer.length;
    for (let shift = numberBytes - 1; shift >= 0; shift--) {
      writer.u8(Math.floor(number / 2 ** (shift * 8)) & 0xff);
    }
    const room = maxBytes - writer.length - tagBytes;
    const filled = room < minNumberAndPayloadBytes ? undefined : fill(room);
    if (filled === undefined) {
      writer.length = from;
      return undefined;
    }
    sent.advanceNumber();
    const missing = minNumberAndPayloadBytes - (writer.length - numberAt);
    if (missing > 0) {
      writer.zeros(missing);
    }
    const payloadEnd = writer.length;
    writer.zeros(tagBytes);
    return { space, from, lengthAt, numberAt, number, payloadEnd, ...filled };
  }

  /**
   * Writes the frames of one packet, at most `room` bytes. @returns undefined when the packet would have no
   * frame, or only an acknowledgment that is not due
   */
  #writeFrames(
    space: PacketSpace,
    writer: ByteWriter,
    room: number,
    now: number,
  ): { frames: SentFrame[]; elicitsAck: boolean } | undefined {
    const { recovery } = this.#parts;
    const { received } = space;
    const begin = writer.length;
    const frames: SentFrame[] = [];
    const { ackAt } = received;
    if (ackAt !== undefined && received.ranges.length > 0) {
      frames.push(this.#writeAck(space, writer, room, now));
    }
    const ackEnd = writer.length;
    if (space.probes > 0 || this.#maySend(space, recovery, now)) {
      this.#writeCrypto(space, writer, begin + room, frames);
      if (space.name === "application") {
        this.#writeControls(writer, begin + room, frames);
        if (this.#parts.streams.hasFrames) {
          this.#parts.streams.writeFrames(writer, begin + room - writer.length, frames);
        }
      }
      if (writer.length === ackEnd) {
        this.#onNothingToSend(space);
        if (space.probes > 0) {
          writer.u8(frameTypes.ping);
          frames.push({ kind: "ping" });
        }
      }
    }
    const elicitsAck = writer.length > ackEnd;
    if (!elicitsAck && (ackAt === undefined || ackAt > now)) {
      return undefined;
    }
    if (ackEnd > begin) {
      received.onAckSent();
    }
    if (elicitsAck && space.probes > 0) {
      space.probes--;
    }
    return { frames, elicitsAck };
  }

  /** Called when the window and the pacer allow a packet, but nothing waits to be sent. */
  #onNothingToSend({ name }: PacketSpace): void {
    if (name === "application") {
      this.#parts.recovery.congestion.onDrained();
      this.#parts.pacer?.onDrained();
    }
  }

  /** True when the congestion window has space and the pacer allows a datagram. */
  #maySend(space: PacketSpace, { congestion, rtt }: LossRecovery<SentFrame>, now: number): boolean {
    const { mtu, pacer } = this.#parts;
    const datagramBytes = mtu.current;
    congestion.resize(datagramBytes);
    if (congestion.available < datagramBytes) {
      pacer?.onDrained();
      congestion.isUsed ||=
        space.hasCrypto || (space.name === "application" && this.#parts.streams.hasFrames);
      return false;
    }
    if (pacer === undefined || space.name !== "application" || !this.#parts.streams.hasFrames) {
      return true;
    }
    const { window, isSlowStart } = congestion;
    const path = { window, isSlowStart, smoothedRttMs: rtt.smoothed, datagramBytes };
    const at = pacer.nextAt(path, now);
    if (at > now) {
      this.#parts.pacedUntil = at;
      congestion.isUsed = true;
    }
    return at <= now;
  }

  /**
   * Writes the newest ranges first; older ranges are left out when they do not fit. Source: RFC 9000, section
   * 19.3
   */
  #writeAck(space: PacketSpace, writer: ByteWriter, room: number, now: number): SentFrame {
    const { ranges } = space.received;
    const first = ranges[0] as NumberRange;
    const delay =
      space.name === "application"
        ? Math.floor((space.received.ackDelay(now) * 1_000) / 2 ** ackDelayExponent)
        : 0;
    const end = writer.length + room;
    const atMost = Math.min(maxAckRanges, ranges.length, 1 + Math.floor((end - writer.length - 32) / 16));
    writer
      .u8(frameTypes.ack)
      .varint(first.high)
      .varint(delay)
      .varint(Math.max(atMost - 1, 0));
    writer.varint(first.high - first.low);
    let { low } = first;
    for (let index = 1; index < atMost; index++) {
      const range = ranges[index] as NumberRange;
      writer.varint(low - range.high - 2).varint(range.high - range.low);
      low = range.low;
    }
    return { kind: "ack", space: space.name, largest: first.high };
  }

  /** Writes bytes of the handshake until the packet is full. Source: RFC 9000, section 19.6 */
  #writeCrypto(space: PacketSpace, writer: ByteWriter, end: number, frames: SentFrame[]): void {
    while (space.hasCrypto) {
      const room = end - writer.length - 1 - 8 - 2;
      const piece = space.cryptoToSend.take(room, Number.MAX_SAFE_INTEGER);
      if (piece === undefined) {
        return;
      }
      writer.u8(frameTypes.crypto).varint(piece.offset).varint2(piece.length);
      space.cryptoToSend.read(piece, (bytes) => writer.bytes(bytes));
      frames.push({ kind: "crypto", space: space.name, piece });
    }
  }

  /**
   * Writes single frames that are due: HANDSHAKE_DONE, a token, new IDs and retired IDs. A frame that does not
   * fit stays due.
   */
  #writeControls(writer: ByteWriter, end: number, frames: SentFrame[]): void {
    const parts = this.#parts;
    if (parts.handshakeDoneDue && end > writer.length) {
      parts.handshakeDoneDue = false;
      writer.u8(frameTypes.handshakeDone);
      frames.push({ kind: "handshakeDone" });
    }
    const { newToken } = parts;
    if (newToken !== undefined && end - writer.length >= 3 + newToken.length) {
      parts.newToken = undefined;
      writer.u8(frameTypes.newToken).varint(newToken.length).bytes(newToken);
      frames.push({ kind: "newToken", token: newToken });
    }
    for (const sequence of parts.localIds.announcements) {
      const local = parts.localIds.get(sequence);
      if (end - writer.length < newConnectionIdBytes) {
        return;
      }
      parts.localIds.announcements.delete(sequence);
      if (local !== undefined) {
        writer.u8(frameTypes.newConnectionId).varint(sequence).varint(0).u8(local.id.length);
        writer.bytes(local.id).bytes(local.resetToken);
        frames.push({ kind: "newConnectionId", sequence });
      }
    }
    for (const sequence of parts.remoteIds.retirements) {
      if (end - writer.length < 1 + varintBytes(sequence)) {
        return;
      }
      parts.remoteIds.retirements.delete(sequence);
      writer.u8(frameTypes.retireConnectionId).varint(sequence);
      frames.push({ kind: "retireConnectionId", sequence });
    }
  }

  /** Fills the datagram with PADDING up to this size. */
  #pad(writer: ByteWriter, packet: PlainPacket, datagramBytes: number): void {
    const missing = datagramBytes - writer.length;
    if (missing > 0) {
      // The space reserved for the tag becomes padding, and the tag follows the padding.
      writer.zeros(missing);
      packet.payloadEnd += missing;
    }
  }

  /** Pads a datagram that has an Initial packet (RFC 9000, section 14.1), encrypts its packets, and reports them to loss recovery. */
  #finish(writer: ByteWriter, packets: PlainPacket[], maxBytes: number, now: number): BuiltDatagram {
    const { role, oneRtt, recovery, path, idleFrames } = this.#parts;
    const last = packets.at(-1) as PlainPacket;
    if (
      packets.some(({ space, elicitsAck }) => space.name === "initial" && (elicitsAck || role === "client"))
    ) {
      this.#pad(writer, last, Math.min(minInitialDatagramBytes, maxBytes));
    }
    const bytes = writer.written;
    for (const packet of packets) {
      const { space, from, lengthAt, numberAt, number, payloadEnd, frames, elicitsAck } = packet;
      if (lengthAt >= 0) {
        writer.patchVarint2(lengthAt, payloadEnd + tagBytes - numberAt);
      }
      const place = { from, numberAt, payloadEnd, packetNumber: number };
      if (space.name === "application") {
        oneRtt.seal(bytes, place);
      } else {
        sealPacket(space.keys.write as PacketKeys, bytes, place);
      }
      idleFrames.sent(frames);
      if (elicitsAck) {
        const packetBytes = payloadEnd + tagBytes - from;
        const probe = packet.isSizeProbe === true && { isSizeProbe: true };
        recovery.onSent(space.name, { number, sentAt: now, bytes: packetBytes, frames, ...probe });
      }
    }
    return {
      bytes,
      address: path.address,
      spaces: packets.map(({ space }) => space.name),
      elicitsAck: packets.some(({ elicitsAck }) => elicitsAck),
    };
  }
}
