import { type OpenedPacket, openPacket, type PacketKeys } from "../protection/packet-keys.ts";
import { QuicError, transportErrors } from "../quic-error.ts";
import type { TlsHandshake } from "../tls/tls-handshake.ts";
import { ByteReader } from "../wire/byte-reader.ts";
import { type Frame, readFrame, shortFrame } from "../wire/frames.ts";
import { ownCopy } from "../wire/own-copy.ts";
import { minInitialDatagramBytes, type PacketHeader, readPacketHeader } from "../wire/packet-header.ts";
import type { CloseReason } from "./connection-options.ts";
import type { ConnectionParts } from "./connection-parts.ts";
import type { HandshakeLink } from "./handshake-link.ts";
import type { PeerAddress } from "./network-path.ts";
import type { PacketSpace } from "./packet-space.ts";
import { PathChanges } from "./path-changes.ts";
import { onPacketsAcked, sendAgain } from "./sent-frame-fates.ts";

/** Maximum number of packets that are stored until their keys are known. Further packets are dropped. */
const maxEarlyPackets = 8;
/** Bytes of the token at the end of a stateless reset. Source: RFC 9000, section 10.3 */
const resetTokenBytes = 16;
/** Probe timeouts after the handshake in which late 0-RTT packets are read. Source: RFC 9001, section 4.9.3 */
const earlyDataProbeTimeouts = 3;
/** Minimum size of a stateless reset in bytes. */
const minResetBytes = 21;

/** A datagram with its source address and time. */
interface Arrival {
  readonly datagram: Buffer;
  readonly address: PeerAddress;
  readonly now: number;
}

/** The part of a connection that its receiver uses. */
export interface PacketOwner {
  readonly isOpen: boolean;
  /** Called for each packet that decrypts, so only the peer can have sent it. */
  onAuthenticPacket(now: number): void;
  /** Called when the peer has closed the connection, or has sent a stateless reset. */
  onPeerClosed(reason: CloseReason, now: number): void;
}

/**
 * Decrypts packets and processes their frames.
 *
 * | Packet | Outcome |
 * |---|---|
 * | its keys are not known yet | kept, at most eight packets, until a CRYPTO frame arrives or early data is taken |
 * | its keys are discarded, or it was received before | dropped |
 * | it does not decrypt | dropped; it may be a stateless reset |
 * | it breaks a rule | the connection ends with the rule's error |
 */
export class PacketReceiver {
  readonly #parts: ConnectionParts;
  readonly #link: HandshakeLink;
  readonly #handshake: TlsHandshake;
  readonly #owner: PacketOwner;
  readonly paths: PathChanges;
  /** Copies of packets whose keys are not known yet. */
  #early: { readonly datagram: Buffer; readonly address: PeerAddress }[] = [];
  /** True when the server's ID is known; for clients only. */
  #serverIdKnown = false;

  constructor(parts: ConnectionParts, link: HandshakeLink, handshake: TlsHandshake, owner: PacketOwner) {
    this.#parts = parts;
    this.#link = link;
    this.#handshake = handshake;
    this.#owner = owner;
    this.paths = new PathChanges(parts);
  }

  /** Processes all packets of a datagram. @throws QuicError for faults that end the connection */
  receive(datagram: Buffer, address: PeerAddress, now: number): void {
    const localIdBytes = this.#parts.sourceId.length;
    let firstId: Buffer | undefined;
    for (let at = 0; at < datagram.length && this.#owner.isOpen; ) {
      const header = readPacketHeader(datagram, at, localIdBytes);
      firstId ??= header?.destinationId;
      // All packets of a datagram belong to one connection: RFC 9000, section 12.2.
      if (header === undefined || firstId?.equals(header.destinationId) !== true) {
        return;
      }
      at = header.end;
      if (this.#isReadable(header, datagram.length, now)) {
        this.#receivePacket(header, { datagram, address, now });
      }
    }
  }

  /** Drops stored packets when the connection has ended. */
  clear(): void {
    this.#early = [];
  }

  /** Processes kept packets after the decision about early data, which may have come between two datagrams. */
  replayAfterDecision(now: number): void {
    if (this.#parts.earlyData.hasNews) {
      this.#parts.earlyData.hasNews = false;
      this.#replayEarly(now);
    }
  }

  /** True when a packet must be processed. Retry is handled elsewhere. */
  #isReadable({ type }: PacketHeader, datagramBytes: number, now: number): boolean {
    if (type === "initial" && this.#parts.role === "server") {
      // RFC 9000, section 14.1: a client must prove that the path carries datagrams of this size.
      return datagramBytes >= minInitialDatagramBytes;
    }
    if (type === "0rtt") {
      return this.#parts.role === "server" && this.#parts.earlyData.isReadable(now);
    }
    return type !== "retry";
  }

  /** Decrypts one packet of a datagram. @throws QuicError */
  #receivePacket(header: PacketHeader, arrival: Arrival): void {
    const { spaces, oneRtt, earlyData } = this.#parts;
    const isOneRtt = header.type === "1rtt";
    const isEarlyData = header.type === "0rtt";
    const space = spaces[isOneRtt || isEarlyData ? "application" : (header.type as "initial" | "handshake")];
    if (space.isDiscarded) {
      return;
    }
    const canRead = isOneRtt
      ? oneRtt.canRead
      : isEarlyData
        ? !earlyData.isUndecided
        : space.keys.read !== undefined;
    if (!canRead) {
      this.#keepEarly(header, arrival);
      return;
    }
    const { largest } = space.received;
    const packet = isOneRtt
      ? oneRtt.open(arrival.datagram, header, largest)
      : isEarlyData
        ? earlyData.open(arrival.datagram, header, largest)
        : openPacket(space.keys.read as PacketKeys, arrival.datagram, header, largest);
    if (packet === undefined) {
      if (isOneRtt) {
        this.#checkReset(arrival);
      }
      return;
    }
    if (space.received.has(packet.packetNumber)) {
      return;
    }
    if (packet.reservedBits !== 0) {
      throw new QuicError(transportErrors.protocolViolation, "reserved bits are set");
    }
    this.#onAuthentic(header, arrival.now);
    this.#receivePayload(space, header, packet, arrival);
  }

  /** Called for a packet that decrypted. Takes the server's ID, or confirms the client's address. */
  #onAuthentic(header: PacketHeader, now: number): void {
    const { remoteIds, path, role, earlyData, recovery } = this.#parts;
    this.#owner.onAuthenticPacket(now);
    if (header.type === "1rtt") {
      earlyData.onOneRttPacket(now, earlyDataProbeTimeouts * recovery.probeTimeout);
    }
    if (role === "client") {
      if (!this.#serverIdKnown) {
        this.#serverIdKnown = true;
        remoteIds.replaceFirst(ownCopy(header.sourceId));
      }
    } else if (header.type === "handshake") {
      // The client needs the server's first flight for these keys, so the client receives at its address.
      path.validated = true;
      this.#link.discard("initial");
    }
  }

  /** Stores a packet that arrived before the handshake messages for its keys. */
  #keepEarly({ from, end }: PacketHeader, { datagram, address }: Arrival): void {
    if (this.#early.length < maxEarlyPackets) {
      this.#early.push({ datagram: ownCopy(datagram.subarray(from, end)), address });
    }
  }

  /** Processes stored packets again; those without keys are stored again. */
  #replayEarly(now: number): void {
    const early = this.#early;
    this.#early = [];
    for (const { datagram, address } of early) {
      this.receive(datagram, address, now);
    }
  }

  /**
   * Processes all frames of a packet, then records its number for the acknowledgment. The newest packet with
   * more than probing frames moves the connection to its source address: RFC 9000, section 9.3.
   */
  #receivePayload(space: PacketSpace, header: PacketHeader, packet: OpenedPacket, arrival: Arrival): void {
    const { packetNumber, payload } = packet;
    if (payload.length === 0) {
      throw new QuicError(transportErrors.protocolViolation, "a packet without frames");
    }
    const isNewest = packetNumber > space.received.largest;
    const reader = new ByteReader(payload, shortFrame);
    let elicitsAck = false;
    let isProbe = true;
    let cryptoCame = false;
    let acks = 0;
    while (reader.left > 0) {
      const frame = readFrame(reader, header.type === "0rtt" ? "0rtt" : space.type);
      const { kind } = frame;
      elicitsAck ||= kind !== "padding" && kind !== "ack" && kind !== "connectionClose";
      isProbe &&=
        kind === "padding" ||
        kind === "pathChallenge" ||
        kind === "pathResponse" ||
        kind === "newConnectionId";
      cryptoCame ||= kind === "crypto";
      this.#parts.idleFrames.receive(frame, acks, arrival.now);
      acks += kind === "ack" ? 1 : 0;
      this.#receiveFrame(space, header, frame, arrival);
      if (!this.#owner.isOpen) {
        return;
      }
    }
    if (!space.isDiscarded) {
      space.received.add(packetNumber, elicitsAck, arrival.now);
    }
    if (isNewest && !isProbe && header.type === "1rtt") {
      this.paths.follow(arrival.address, arrival.datagram.length, arrival.now);
    }
    if (cryptoCame && this.#early.length > 0) {
      this.#replayEarly(arrival.now);
    }
  }

  /** @throws QuicError for a frame that its sender may not send */
  #receiveFrame(space: PacketSpace, header: PacketHeader, frame: Frame, arrival: Arrival): void {
    const { streams, localIds, remoteIds, role } = this.#parts;
    switch (frame.kind) {
      case "ack":
        this.#receiveAck(space, frame, arrival.now);
        return;
      case "crypto":
        for (const bytes of space.receiveCrypto(frame.offset, frame.data)) {
          this.#handshake.receive(space.level, bytes);
        }
        return;
      case "connectionClose": {
        const { code, application } = frame;
        const reason = frame.reason.toString("latin1");
        this.#owner.onPeerClosed({ by: "peer", code, application, reason }, arrival.now);
        return;
      }
      case "newConnectionId":
        remoteIds.add(frame.sequence, frame.retirePriorTo, frame.id, frame.resetToken);
        return;
      case "retireConnectionId":
        localIds.retire(frame.sequence, header.destinationId, this.#link.peerIdLimit);
        return;
      case "pathChallenge":
        this.paths.answer(frame.data, arrival.address, arrival.datagram.length);
        return;
      case "pathResponse":
        this.paths.receiveResponse(frame.data);
        return;
      case "handshakeDone":
      case "newToken":
        if (role === "server") {
          throw new QuicError(transportErrors.protocolViolation, `frame ${frame.kind} of a client`);
        }
        if (frame.kind === "handshakeDone") {
          this.#link.confirm();
        } else if (frame.kind === "newToken") {
          this.#link.onToken(frame.token);
        }
        return;
      default:
        streams.receive(frame);
    }
  }

  /**
   * Releases data that the peer has received, and sends lost frames again. @throws QuicError PROTOCOL_VIOLATION for a
   * packet that was never sent
   */
  #receiveAck(space: PacketSpace, frame: Frame & { kind: "ack" }, now: number): void {
    const { recovery } = this.#parts;
    if (recovery.sent[space.name].hasUnsent(frame.ranges)) {
      throw new QuicError(transportErrors.protocolViolation, "an acknowledged packet was never sent", 0x02);
    }
    const delay = (frame.delay * 2 ** (this.#link.peer?.ackDelayExponent ?? 3)) / 1_000;
    const { acked, lost } = recovery.onAck(space.name, frame.ranges, delay, now);
    onPacketsAcked(this.#parts, acked);
    sendAgain(this.#parts, lost, now);
  }

  /**
   * Ends the connection when a packet that does not decrypt has a reset token of the peer. Source: RFC 9000,
   * section 10.3.1
   */
  #checkReset({ datagram, now }: Arrival): void {
    if (
      datagram.length >= minResetBytes &&
      this.#parts.remoteIds.isResetToken(datagram.subarray(datagram.length - resetTokenBytes))
    ) {
      const reason = "the peer forgot the connection";
      this.#owner.onPeerClosed({ by: "reset", code: 0, application: false, reason }, now);
    }
  }
}
