import { initialKeys } from "../protection/initial-keys.ts";
import { type OpenedPacket, openPacket, packetKeysOf } from "../protection/packet-keys.ts";
import { QuicError, transportErrors } from "../quic-error.ts";
import { LossRecovery } from "../recovery/loss-recovery.ts";
import type { QuicStream } from "../streams/quic-stream.ts";
import type { SentFrame } from "../streams/sent-frame.ts";
import { StreamSet } from "../streams/stream-set.ts";
import type { HandshakeEvents, TlsHandshake } from "../tls/tls-handshake.ts";
import {
  defaultParameters,
  encodeTransportParameters,
  readTransportParameters,
  type TransportParameters,
} from "../tls/transport-parameters.ts";
import { ByteReader } from "../wire/byte-reader.ts";
import { type Frame, readFrame, shortFrame } from "../wire/frames.ts";
import {
  minInitialDatagramBytes,
  type PacketHeader,
  type PacketSpaceName,
  packetSpaces,
  readPacketHeader,
} from "../wire/packet-header.ts";
import { type ConnectionIdRegistry, type LocalId, LocalIds, RemoteIds } from "./connection-ids.ts";
import type { ConnectionParts, OutgoingDatagram } from "./connection-parts.ts";
import { DatagramBuilder, minDatagramBytes } from "./datagram-builder.ts";
import { NetworkPath, type PeerAddress, sameAddress } from "./network-path.ts";
import { OneRttKeys } from "./one-rtt-keys.ts";
import { PacketSpace } from "./packet-space.ts";
import {
  ackDelayExponent,
  activeConnectionIdLimit,
  type ConnectionSettings,
  maxAckDelayMs,
} from "./settings.ts";

/** Why a connection ended. */
export interface CloseReason {
  /** "timeout": nothing came for too long, or the handshake took too long. */
  readonly by: "us" | "peer" | "timeout" | "reset";
  readonly code: number;
  /** Whether `code` is the application's, else the transport's. */
  readonly application: boolean;
  readonly reason: string;
  /** An error of our own code; undefined for errors of the peer. */
  readonly fault?: unknown;
}

/** The owner of a connection hears these. */
export interface ConnectionEvents {
  /** The handshake is done. */
  onConnected(protocol: string): void;
  /** The peer opened a stream; set its handler at once. */
  onStream(stream: QuicStream): void;
  /** Both directions of a stream ended, and the peer knows. Not called when the connection ends. */
  onStreamClosed(stream: QuicStream): void;
  /** No stream works any more. The connection still needs its timeouts until `isOver`. */
  onClosed(reason: CloseReason): void;
  /** Something waits for `takeDatagrams`, outside of `receive` and `onTimeout`. */
  onWake(): void;
}

export interface ConnectionOptions {
  readonly role: "client" | "server";
  readonly settings: ConnectionSettings;
  readonly events: ConnectionEvents;
  readonly registry: ConnectionIdRegistry;
  /** First id of ours. */
  readonly localId: LocalId;
  /** First id of the peer. */
  readonly remoteId: Buffer;
  /** Id that Initial keys are made of. */
  readonly initialId: Buffer;
  /** Id of the client's very first packet. */
  readonly originalDestinationId?: Buffer;
  /** Where a Retry came first: the id in it. */
  readonly retrySourceId?: Buffer;
  /** A token showed that the client receives at its address; for servers only. */
  readonly addressValidated?: boolean;
  readonly address: PeerAddress;
  readonly now: number;
  readonly newHandshake: (events: HandshakeEvents, transportParameters: () => Buffer) => TlsHandshake;
}

/** Datagrams that one call makes at most: other connections want their turn. */
const maxDatagramsPerTurn = 32;
/** Packets that are kept until their keys are known. */
const maxEarlyPackets = 8;
const maxPathResponses = 4;
const resetTokenBytes = 16;
/** Length of closing and draining, in probe timeouts. Source: RFC 9000, section 10.2 */
const closingProbeTimeouts = 3;

const spaceOf = (type: PacketHeader["type"]): PacketSpaceName =>
  type === "1rtt" || type === "0rtt" ? "application" : (type as PacketSpaceName);

/** A QUIC connection without sockets and clocks: datagrams and the time go in, datagrams come out. Times are milliseconds. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #parts: ConnectionParts;
  readonly #builder: DatagramBuilder;
  readonly #handshake: TlsHandshake;
  #state: "open" | "closing" | "draining" | "over" = "open";
  #peer: TransportParameters | undefined;
  #handshakeDone = false;
  #earlyPackets: { readonly datagram: Buffer; readonly address: PeerAddress }[] = [];
  #previousPath: NetworkPath | undefined;
  #now: number;
  #lastActiveAt: number;
  /** Whether a packet that elicits an acknowledgment was sent since one came. */
  #sentSinceReceived = false;
  readonly #handshakeEndsAt: number;
  #overAt = Number.POSITIVE_INFINITY;
  #closeDatagram: OutgoingDatagram | undefined;
  #closeDue = false;
  #packetsWhileClosing = 0;
  #hasMore = false;
  /** Whether the server's id is known; for clients only. */
  #serverIdKnown = false;
  #protocol = "";

  constructor(options: ConnectionOptions) {
    const { role, settings, events, now, localId, remoteId, initialId, address } = options;
    this.#options = options;
    this.#events = events;
    this.#now = now;
    this.#lastActiveAt = now;
    this.#handshakeEndsAt = now + settings.handshakeTimeoutMs;
    const own = this.#ownParameters();
    this.#parts = {
      role,
      spaces: {
        initial: new PacketSpace("initial"),
        handshake: new PacketSpace("handshake"),
        application: new PacketSpace("application"),
      },
      oneRtt: new OneRttKeys(),
      recovery: new LossRecovery(settings.datagramBytes),
      streams: new StreamSet(role, own, events),
      localIds: new LocalIds(options.registry, localId),
      remoteIds: new RemoteIds(remoteId),
      sourceId: localId.id,
      token: Buffer.alloc(0),
      path: new NetworkPath(address, role === "client" || options.addressValidated === true),
      datagramBytes: settings.datagramBytes,
      handshakeDoneDue: false,
      pathResponses: [],
    };
    const { client, server } = initialKeys(initialId);
    this.#parts.spaces.initial.keys =
      role === "server" ? { read: client, write: server } : { read: server, write: client };
    this.#parts.recovery.idleProbe = role === "client" ? "initial" : undefined;
    this.#builder = new DatagramBuilder(this.#parts);
    this.#handshake = options.newHandshake(this.#handshakeEvents(), () => encodeTransportParameters(own));
  }

  /** Protocol of ALPN; "" before the handshake is done. */
  get protocol(): string {
    return this.#protocol;
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Nothing must be done for the connection any more. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  get isHandshakeDone(): boolean {
    return this.#handshakeDone;
  }

  get address(): PeerAddress {
    return this.#parts.path.address;
  }

  /** @returns undefined while the peer allows no more streams of this kind */
  openStream(kind: "bidi" | "uni"): QuicStream | undefined {
    return this.#state === "open" ? this.#parts.streams.open(kind) : undefined;
  }

  /** Ends the connection with a code of the application. */
  close(code: number, reason: string, now = this.#now): void {
    this.#close({ code, frameType: 0, application: true, reason }, now);
  }

  /** Begins to encrypt with new keys. @returns false while the last update is not over */
  updateKeys(): boolean {
    if (!this.#parts.recovery.handshakeConfirmed || !this.#parts.oneRtt.canUpdate) {
      return false;
    }
    this.#parts.oneRtt.update();
    return true;
  }

  /** Takes a datagram. It is changed: header protection is removed in place. */
  receive(datagram: Buffer, address: PeerAddress, now: number): void {
    this.#now = now;
    if (this.#state === "closing") {
      this.#packetsWhileClosing++;
      // Fewer answers the more packets come: RFC 9000, section 10.2.1.
      this.#closeDue ||= (this.#packetsWhileClosing & (this.#packetsWhileClosing - 1)) === 0;
      return;
    }
    if (this.#state !== "open") {
      return;
    }
    if (sameAddress(address, this.#parts.path.address)) {
      this.#parts.path.onReceived(datagram.length);
    }
    this.#guarded(now, () => this.#receivePackets(datagram, address, now));
  }

  /** When `onTimeout` is due; undefined when nothing waits. */
  deadline(): number | undefined {
    if (this.#state === "over") {
      return undefined;
    }
    if (this.#state !== "open") {
      return this.#closeDue ? this.#now : this.#overAt;
    }
    if (this.#hasMore) {
      return this.#now;
    }
    const { recovery, spaces, path } = this.#parts;
    const idle = this.#idleEndsAt();
    const { allowance } = path;
    const limited = allowance < minDatagramBytes;
    let deadline = Math.min(
      idle,
      this.#handshakeDone ? Number.POSITIVE_INFINITY : this.#handshakeEndsAt,
      // A timer is of no use while the limit holds: the client's next packet lifts it.
      (limited ? undefined : recovery.deadline()) ?? Number.POSITIVE_INFINITY,
      path.challengeEndsAt,
    );
    for (const name of packetSpaces) {
      if (allowance >= (name === "initial" ? minInitialDatagramBytes : minDatagramBytes)) {
        deadline = Math.min(deadline, spaces[name].received.ackAt ?? Number.POSITIVE_INFINITY);
      }
    }
    return deadline;
  }

  onTimeout(now: number): void {
    this.#now = now;
    if (this.#state === "closing" || this.#state === "draining") {
      if (now >= this.#overAt) {
        this.#state = "over";
        this.#parts.localIds.retireAll();
      }
      return;
    }
    if (this.#state !== "open") {
      return;
    }
    if (now >= this.#idleEndsAt() || (!this.#handshakeDone && now >= this.#handshakeEndsAt)) {
      this.#end({ by: "timeout", code: 0, application: false, reason: "nothing came in time" });
      return;
    }
    this.#guarded(now, () => {
      this.#checkPath(now);
      const { recovery, spaces, path } = this.#parts;
      if (this.#state !== "open" || path.allowance < minDatagramBytes) {
        return;
      }
      const { lost, probe } = recovery.onTimeout(now);
      this.#sendAgain(lost.flatMap(({ frames }) => frames));
      if (probe !== undefined) {
        spaces[probe].probes = 2;
        this.#sendAgain(recovery.sent[probe].oldest(2).flatMap(({ frames }) => frames));
      }
    });
  }

  /** Datagrams to send now. */
  takeDatagrams(now: number): OutgoingDatagram[] {
    this.#now = now;
    const datagrams: OutgoingDatagram[] = [];
    if (this.#state === "closing" && this.#closeDue) {
      this.#closeDue = false;
      if (this.#closeDatagram !== undefined) {
        datagrams.push(this.#closeDatagram);
      }
    }
    this.#hasMore = false;
    while (this.#state === "open") {
      if (datagrams.length === maxDatagramsPerTurn) {
        this.#hasMore = true;
        break;
      }
      const built = this.#builder.build(now);
      if (built === undefined) {
        if (this.#parts.streams.notifyDrained()) {
          continue;
        }
        break;
      }
      this.#onSent(built.bytes.length, built.spaces, built.elicitsAck, now);
      datagrams.push(built);
    }
    return datagrams;
  }

  #onSent(bytes: number, spaces: readonly PacketSpaceName[], elicitsAck: boolean, now: number): void {
    this.#parts.path.onSent(bytes);
    if (elicitsAck && !this.#sentSinceReceived) {
      this.#sentSinceReceived = true;
      this.#lastActiveAt = now;
    }
    if (this.#options.role === "client" && spaces.includes("handshake")) {
      this.#discard("initial");
    }
    if (this.#parts.recovery.handshakeConfirmed && this.#parts.oneRtt.isUpdateDue) {
      this.#parts.oneRtt.update();
    }
  }

  #ownParameters(): TransportParameters {
    const { settings, localId, role } = this.#options;
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
      originalDestinationId: role === "server" ? this.#options.originalDestinationId : undefined,
      retrySourceId: role === "server" ? this.#options.retrySourceId : undefined,
      statelessResetToken: role === "server" ? localId.resetToken : undefined,
    };
  }

  #handshakeEvents(): HandshakeEvents {
    const install =
      (level: "handshake" | "1rtt", direction: "read" | "write"): HandshakeEvents["onReadSecret"] =>
      (_, suite, secret) => {
        if (level === "handshake") {
          this.#parts.spaces.handshake.keys[direction] = packetKeysOf(suite, secret);
          if (this.#options.role === "client") {
            this.#parts.recovery.idleProbe = "handshake";
          }
        } else if (direction === "read") {
          this.#parts.oneRtt.setReadSecret(suite, secret);
        } else {
          this.#parts.oneRtt.setWriteSecret(suite, secret);
        }
      };
    return {
      onCrypto: (level, bytes) => {
        this.#parts.spaces[level === "1rtt" ? "application" : level].cryptoToSend.write(bytes);
        this.#events.onWake();
      },
      onWriteSecret: (level, suite, secret) => install(level, "write")(level, suite, secret),
      onReadSecret: (level, suite, secret) => install(level, "read")(level, suite, secret),
      onTransportParameters: (bytes) => this.#receiveParameters(bytes),
      onHandshakeDone: (protocol) => this.#finishHandshake(protocol),
      onHandshakeError: (error) => this.#guarded(this.#now, () => throwAgain(error)),
    };
  }

  #receiveParameters(bytes: Buffer): void {
    const { role, originalDestinationId, retrySourceId } = this.#options;
    const peer = readTransportParameters(bytes, role === "server" ? "client" : "server");
    const { remoteIds, recovery, streams } = this.#parts;
    const wrong =
      peer.initialSourceId?.equals(remoteIds.current) !== true ||
      (role === "client" &&
        (peer.originalDestinationId?.equals(originalDestinationId ?? Buffer.alloc(0)) !== true ||
          peer.retrySourceId?.toString("hex") !== retrySourceId?.toString("hex")));
    if (wrong) {
      throw new QuicError(
        transportErrors.transportParameterError,
        "connection ids of the handshake differ",
        0x06,
      );
    }
    this.#peer = peer;
    if (role === "client") {
      remoteIds.replaceFirst(remoteIds.current, peer.statelessResetToken);
    }
    recovery.peerMaxAckDelayMs = peer.maxAckDelayMs;
    this.#parts.datagramBytes = Math.min(this.#options.settings.datagramBytes, peer.maxUdpPayloadBytes);
    streams.onPeerParameters(peer);
  }

  #finishHandshake(protocol: string): void {
    this.#handshakeDone = true;
    this.#protocol = protocol;
    const { localIds, remoteIds } = this.#parts;
    if (remoteIds.current.length > 0 || this.#options.role === "server") {
      localIds.fill(this.#peer?.activeConnectionIdLimit ?? 2);
    }
    if (this.#options.role === "server") {
      this.#parts.handshakeDoneDue = true;
      this.#confirmHandshake();
    }
    this.#events.onConnected(protocol);
  }

  #confirmHandshake(): void {
    this.#parts.recovery.handshakeConfirmed = true;
    this.#parts.recovery.idleProbe = undefined;
    this.#discard("initial");
    this.#discard("handshake");
  }

  #discard(name: "initial" | "handshake"): void {
    const { spaces, recovery } = this.#parts;
    if (spaces[name].keys.write !== undefined) {
      spaces[name].discard();
      recovery.discard(name);
    }
  }

  #receivePackets(datagram: Buffer, address: PeerAddress, now: number): void {
    const localIdBytes = this.#parts.sourceId.length;
    for (let at = 0; at < datagram.length && this.#state === "open"; ) {
      const header = readPacketHeader(datagram, at, localIdBytes);
      if (header === undefined) {
        return;
      }
      at = header.end;
      if (header.type === "retry" || header.type === "0rtt") {
        continue;
      }
      if (!this.#receivePacket(datagram, header, address, now) && header.type === "1rtt") {
        this.#checkReset(datagram);
      }
    }
  }

  /** @returns false for a packet that cannot be decrypted */
  #receivePacket(datagram: Buffer, header: PacketHeader, address: PeerAddress, now: number): boolean {
    const name = spaceOf(header.type);
    const space = this.#parts.spaces[name];
    if (name === "application" ? !this.#parts.oneRtt.canRead : space.keys.read === undefined) {
      this.#keepEarly(datagram, header, address);
      return true;
    }
    const { largest } = space.received;
    const packet =
      name === "application"
        ? this.#parts.oneRtt.open(datagram, header, largest)
        : openPacket(space.keys.read!, datagram, header, largest);
    if (packet === undefined) {
      return false;
    }
    if (space.received.has(packet.packetNumber)) {
      return true;
    }
    if (packet.reservedBits !== 0) {
      throw new QuicError(transportErrors.protocolViolation, "reserved bits are set");
    }
    this.#onAuthentic(header, now);
    this.#receivePayload(space, header, packet, address, datagram.length, now);
    return true;
  }

  /** The packet came from the peer. */
  #onAuthentic(header: PacketHeader, now: number): void {
    this.#lastActiveAt = now;
    this.#sentSinceReceived = false;
    const { remoteIds, path } = this.#parts;
    if (this.#options.role === "client") {
      if (!this.#serverIdKnown) {
        this.#serverIdKnown = true;
        remoteIds.replaceFirst(Buffer.from(header.sourceId));
      }
    } else if (header.type === "handshake") {
      path.validated = true;
      this.#discard("initial");
    }
  }

  /** Packets may overtake the ones that carry their keys. */
  #keepEarly(datagram: Buffer, header: PacketHeader, address: PeerAddress): void {
    const isNeeded = header.type === "1rtt" ? !this.#handshakeDone : !this.#parts.recovery.handshakeConfirmed;
    const isPast = header.type === "initial" || (header.type === "handshake" && this.#handshakeDone);
    if (isNeeded && !isPast && this.#earlyPackets.length < maxEarlyPackets) {
      this.#earlyPackets.push({ datagram: Buffer.from(datagram.subarray(header.from, header.end)), address });
    }
  }

  #replayEarly(now: number): void {
    const early = this.#earlyPackets;
    this.#earlyPackets = [];
    for (const { datagram, address } of early) {
      this.#receivePackets(datagram, address, now);
    }
  }

  #receivePayload(
    space: PacketSpace,
    header: PacketHeader,
    packet: OpenedPacket,
    address: PeerAddress,
    datagramBytes: number,
    now: number,
  ): void {
    const { packetNumber, payload } = packet;
    if (payload.length === 0) {
      throw new QuicError(transportErrors.protocolViolation, "a packet without frames");
    }
    const isNewest = packetNumber > space.received.largest;
    const reader = new ByteReader(payload, shortFrame);
    let elicitsAck = false;
    let isProbe = true;
    let cryptoCame = false;
    while (reader.left > 0) {
      const frame = readFrame(reader, space.type);
      const { kind } = frame;
      elicitsAck ||= kind !== "padding" && kind !== "ack" && kind !== "connectionClose";
      isProbe &&=
        kind === "padding" ||
        kind === "pathChallenge" ||
        kind === "pathResponse" ||
        kind === "newConnectionId";
      cryptoCame ||= kind === "crypto";
      if (kind === "pathChallenge") {
        this.#answerChallenge(frame.data, address, datagramBytes);
      } else {
        this.#receiveFrame(space, header, frame, now);
      }
      if (this.#state !== "open") {
        return;
      }
    }
    if (!space.isDiscarded) {
      space.received.add(packetNumber, elicitsAck, now);
    }
    if (isNewest && !isProbe && space.name === "application") {
      this.#followPeer(address, datagramBytes, now);
    }
    if (cryptoCame && this.#earlyPackets.length > 0) {
      this.#replayEarly(now);
    }
  }

  #receiveFrame(space: PacketSpace, header: PacketHeader, frame: Frame, now: number): void {
    const { streams, localIds, remoteIds, path } = this.#parts;
    switch (frame.kind) {
      case "ack":
        this.#receiveAck(space, frame, now);
        return;
      case "crypto":
        for (const bytes of space.receiveCrypto(frame.offset, frame.data)) {
          this.#handshake.receive(space.level, bytes);
        }
        return;
      case "connectionClose":
        this.#drain(
          {
            by: "peer",
            code: frame.code,
            application: frame.application,
            reason: frame.reason.toString("latin1"),
          },
          now,
        );
        return;
      case "newConnectionId":
        remoteIds.add(frame.sequence, frame.retirePriorTo, frame.id, frame.resetToken);
        return;
      case "retireConnectionId":
        localIds.retire(frame.sequence, header.destinationId, this.#peer?.activeConnectionIdLimit ?? 2);
        return;
      case "pathResponse":
        if (path.receiveResponse(frame.data)) {
          this.#previousPath = undefined;
        }
        return;
      case "handshakeDone":
      case "newToken":
        if (this.#options.role === "server") {
          throw new QuicError(transportErrors.protocolViolation, `frame ${frame.kind} of a client`);
        }
        if (frame.kind === "handshakeDone") {
          this.#confirmHandshake();
        }
        return;
      default:
        streams.receive(frame);
    }
  }

  #receiveAck(space: PacketSpace, frame: Frame & { kind: "ack" }, now: number): void {
    const { recovery } = this.#parts;
    if (frame.ranges[0]!.high >= recovery.sent[space.name].nextNumber) {
      throw new QuicError(
        transportErrors.protocolViolation,
        "a packet is acknowledged that was not sent",
        0x02,
      );
    }
    const delay = (frame.delay * 2 ** (this.#peer?.ackDelayExponent ?? 3)) / 1_000;
    const { acked, lost } = recovery.onAck(space.name, frame.ranges, delay, now);
    for (const { frames } of acked) {
      for (const sent of frames) {
        this.#onFrameAcked(sent);
      }
    }
    this.#sendAgain(lost.flatMap(({ frames }) => frames));
  }

  #onFrameAcked(frame: SentFrame): void {
    const { spaces, streams, remoteIds } = this.#parts;
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
      default:
        streams.onAcked(frame);
    }
  }

  #sendAgain(frames: readonly SentFrame[]): void {
    const { spaces, streams, localIds, remoteIds } = this.#parts;
    for (const frame of frames) {
      switch (frame.kind) {
        case "crypto":
          spaces[frame.space].cryptoToSend.onLost(frame.piece);
          break;
        case "handshakeDone":
          this.#parts.handshakeDoneDue = true;
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
  }

  #answerChallenge(data: Buffer, address: PeerAddress, datagramBytes: number): void {
    const { path, pathResponses } = this.#parts;
    const allowance = sameAddress(address, path.address) ? path.allowance : 3 * datagramBytes;
    if (pathResponses.length === maxPathResponses) {
      pathResponses.shift();
    }
    pathResponses.push({ data: Buffer.from(data), address, allowance });
  }

  /** The peer's newest packet came from another address: it moved, or its network gave it another port. */
  #followPeer(address: PeerAddress, datagramBytes: number, now: number): void {
    const { path, recovery, remoteIds } = this.#parts;
    if (sameAddress(address, path.address) || !recovery.handshakeConfirmed) {
      return;
    }
    const next = new NetworkPath(address, false);
    next.onReceived(datagramBytes);
    next.beginValidation(now + closingProbeTimeouts * recovery.probeTimeout);
    if (path.validated) {
      this.#previousPath = path;
    }
    this.#parts.path = next;
    if (address.address !== path.address.address) {
      remoteIds.switch();
      recovery.onNewPath();
    }
  }

  /** A challenge that nobody answered ends a path: the address may be forged. */
  #checkPath(now: number): void {
    const { path } = this.#parts;
    if (now < path.challengeEndsAt) {
      return;
    }
    if (this.#previousPath === undefined) {
      this.#end({ by: "timeout", code: 0, application: false, reason: "no path works" });
      return;
    }
    this.#parts.path = this.#previousPath;
    this.#previousPath = undefined;
  }

  #checkReset(datagram: Buffer): void {
    if (
      datagram.length >= 21 &&
      this.#parts.remoteIds.isResetToken(datagram.subarray(datagram.length - resetTokenBytes))
    ) {
      this.#drain(
        { by: "reset", code: 0, application: false, reason: "the peer forgot the connection" },
        this.#now,
      );
    }
  }

  #idleEndsAt(): number {
    const own = this.#options.settings.maxIdleTimeoutMs;
    const peer = this.#peer?.maxIdleTimeoutMs ?? 0;
    const timeout = peer === 0 ? own : Math.min(own, peer);
    return this.#lastActiveAt + Math.max(timeout, 3 * this.#parts.recovery.probeTimeout);
  }

  /** Errors of the peer end the connection and nothing else. */
  #guarded(now: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      const { code, frameType, message } =
        error instanceof QuicError
          ? error
          : { code: transportErrors.internalError, frameType: 0, message: "internal error" };
      const fault = error instanceof QuicError ? undefined : error;
      this.#close({ code, frameType, application: false, reason: message, fault }, now);
    }
  }

  #close(
    close: { code: number; frameType: number; application: boolean; reason: string; fault?: unknown },
    now: number,
  ): void {
    if (this.#state !== "open") {
      return;
    }
    this.#closeDatagram = this.#builder.buildClose(close, now);
    this.#closeDue = true;
    this.#leave("closing", now, { by: "us", ...close });
    this.#events.onWake();
  }

  #drain(reason: CloseReason, now: number): void {
    this.#leave("draining", now, reason);
  }

  #end(reason: CloseReason): void {
    this.#leave("over", this.#now, reason);
    this.#parts.localIds.retireAll();
  }

  #leave(
    state: "closing" | "draining" | "over",
    now: number,
    { by, code, application, reason, fault }: CloseReason,
  ): void {
    this.#state = state;
    this.#overAt = now + closingProbeTimeouts * this.#parts.recovery.probeTimeout;
    this.#earlyPackets = [];
    this.#parts.streams.close();
    for (const name of packetSpaces) {
      this.#parts.spaces[name].cryptoToSend.clear();
      this.#parts.recovery.discard(name);
    }
    this.#events.onClosed({ by, code, application, reason, fault });
  }
}

function throwAgain(error: unknown): never {
  throw error;
}
