import { type InitialKeys, initialKeys } from "../protection/initial-keys.ts";
import { QuicError, transportErrors } from "../quic-error.ts";
import { LossRecovery } from "../recovery/loss-recovery.ts";
import { Pacer } from "../recovery/pacer.ts";
import { PathMtu } from "../recovery/path-mtu.ts";
import type { QuicStream } from "../streams/quic-stream.ts";
import { StreamSet } from "../streams/stream-set.ts";
import type { HandshakePeer } from "../tls/tls-handshake.ts";
import { encodeTransportParameters } from "../tls/transport-parameters.ts";
import { minInitialDatagramBytes, packetSpaces } from "../wire/packet-header.ts";
import { LocalIds, RemoteIds } from "./connection-ids.ts";
import {
  type CloseReason,
  type ConnectionEvents,
  type ConnectionOptions,
  ownParameters,
} from "./connection-options.ts";
import type { ConnectionParts, OutgoingDatagram } from "./connection-parts.ts";
import { type BuiltDatagram, DatagramBuilder, minDatagramBytes } from "./datagram-builder.ts";
import { EarlyData } from "./early-data.ts";
import { HandshakeLink } from "./handshake-link.ts";
import { IdleFrames } from "./idle-frames.ts";
import { NetworkPath, type PeerAddress, sameAddress } from "./network-path.ts";
import { OneRttKeys } from "./one-rtt-keys.ts";
import { type PacketOwner, PacketReceiver } from "./packet-receiver.ts";
import { PacketSpace } from "./packet-space.ts";
import { sendAgain } from "./sent-frame-fates.ts";
import { closingProbeTimeouts } from "./settings.ts";

/** Maximum number of datagrams per call. Further ones wait, because other connections need their turn. */
const maxDatagramsPerTurn = 32;
/** Number of probes per timeout, and of packets whose frames they repeat. Source: RFC 9002, section 6.2.4 */
const probePackets = 2;

/** A datagram with fewer unused bytes counts as full, because frames do not always fit exactly. */
const fullDatagramSlack = 32;

/**
 * A QUIC connection without sockets and clocks. Callers pass datagrams and the time, and take datagrams. Times are
 * milliseconds.
 *
 * | State | Meaning | End of the state |
 * |---|---|---|
 * | `open` | both sides send frames | `close`, an error, the peer's close, a timeout |
 * | `closing` | this side closed; its close is repeated when packets arrive | after three probe timeouts |
 * | `draining` | the peer closed; nothing is sent | after three probe timeouts |
 * | `over` | the final state | none |
 *
 * Streams, timers and packets are freed when `open` ends, and `onClosed` is called once. IDs are freed
 * in `over`, because late packets must find the connection. Source: RFC 9000, section 10
 */
export class Connection implements PacketOwner {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #parts: ConnectionParts;
  readonly #builder: DatagramBuilder;
  readonly #link: HandshakeLink;
  readonly #receiver: PacketReceiver;
  #state: "open" | "closing" | "draining" | "over" = "open";
  /** Time of the last call, for calls without a time. */
  #now: number;
  /** Start of the idle time: last arrival, or the first packet sent after it. Source: RFC 9000, section 10.1 */
  #lastActiveAt: number;
  /** True when a packet that needs an acknowledgment was sent since the last arrival. */
  #sentSinceReceived = false;
  /** Time at which an unfinished handshake ends the connection. */
  readonly #handshakeEndsAt: number;
  /** End of `closing` or `draining`. */
  #overAt = Number.POSITIVE_INFINITY;
  /** Datagram with the close. It is encrypted once, and may be sent several times. */
  #closeDatagram: OutgoingDatagram | undefined;
  /** True when the close is sent with the next datagrams. */
  #closeDue = false;
  /** Number of datagrams that arrived in `closing`. Only datagrams 1, 2, 4, 8 and so on get a response. */
  #packetsWhileClosing = 0;
  /** True when the last turn ended before everything was sent, so the next call is due immediately. */
  #hasMore = false;

  constructor({ initialKeys: ownKeys, ...options }: ConnectionOptions) {
    const { settings, events, now } = options;
    // Only the packet space holds the Initial keys, so they are gone when it drops them.
    this.#options = options;
    this.#events = events;
    this.#now = now;
    this.#lastActiveAt = now;
    this.#handshakeEndsAt = now + settings.handshakeTimeoutMs;
    this.#parts = newParts(options, ownKeys ?? initialKeys(options.initialId));
    this.#builder = new DatagramBuilder(this.#parts);
    this.#link = new HandshakeLink(options, this.#parts, (error) => this.#closeFor(error, this.#now));
    const handshake = options.newHandshake(this.#link, () =>
      encodeTransportParameters(ownParameters(options)),
    );
    this.#receiver = new PacketReceiver(this.#parts, this.#link, handshake, this);
  }

  /** Agreed ALPN protocol; "" before the handshake is done. */
  get protocol(): string {
    return this.#link.protocol;
  }

  /** TLS number of the cipher suite; 0 before a suite is agreed. */
  get cipherSuite(): number {
    return this.#link.cipherSuite;
  }

  /** Server name, client's certificates, and use of a ticket; undefined before the handshake is done. */
  get handshakePeer(): HandshakePeer | undefined {
    return this.#link.handshakePeer;
  }

  /** False: streams cannot be opened or written to. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** True when the connection needs no more calls. */
  get isOver(): boolean {
    return this.#state === "over";
  }

  get isHandshakeDone(): boolean {
    return this.#link.isDone;
  }

  /** True for a server that takes, or took, requests of the client before the end of the handshake. */
  get tookEarlyData(): boolean {
    return this.#parts.earlyData.wasTaken;
  }

  /** True when the peer has shown that it receives at its address. Before that, the address may be forged. */
  get isAddressProved(): boolean {
    return this.#parts.path.validated;
  }

  /** The peer's present address; it changes when the peer moves. */
  get address(): PeerAddress {
    return this.#parts.path.address;
  }

  /** Number of bytes of all streams that the windows have let through, without retransmissions; it only grows. */
  get sentStreamBytes(): number {
    return this.#parts.streams.sentBytes;
  }

  /** @returns undefined while the peer allows no more streams of this kind */
  openStream(kind: "bidi" | "uni"): QuicStream | undefined {
    return this.#state === "open" ? this.#parts.streams.open(kind) : undefined;
  }

  /** Ends the connection with a code of the application. */
  close(code: number, reason: string, now = this.#now): void {
    this.#close({ code, frameType: 0, application: true, reason }, now);
  }

  /** Starts to encrypt with new keys. @returns false while the last update is not complete */
  updateKeys(): boolean {
    if (!this.#parts.recovery.handshakeConfirmed || !this.#parts.oneRtt.canUpdate) {
      return false;
    }
    this.#parts.oneRtt.update();
    return true;
  }

  /** Processes a datagram. Its bytes are changed, because header protection is removed in place. */
  receive(datagram: Buffer, address: PeerAddress, now: number): void {
    this.#now = now;
    if (this.#state === "closing") {
      this.#packetsWhileClosing++;
      // The more datagrams arrive, the fewer of them get a response: RFC 9000, section 10.2.1.
      this.#closeDue ||= (this.#packetsWhileClosing & (this.#packetsWhileClosing - 1)) === 0;
      return;
    }
    if (this.#state !== "open") {
      return;
    }
    if (sameAddress(address, this.#parts.path.address)) {
      this.#parts.path.onReceived(datagram.length);
    }
    this.#guarded(now, () => this.#receiver.receive(datagram, address, now));
  }

  /** Time when `onTimeout` must be called; undefined when nothing waits. */
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
    const allowance = path.dataAllowance;
    const limited = allowance < minDatagramBytes;
    let deadline = Math.min(
      idle,
      this.#link.isDone ? Number.POSITIVE_INFINITY : this.#handshakeEndsAt,
      // No timer is needed while the limit holds, because the next packet of the client lifts the limit.
      (limited ? undefined : recovery.deadline()) ?? Number.POSITIVE_INFINITY,
      path.challengeEndsAt,
      path.allowsChallenge ? path.challengeAt : Number.POSITIVE_INFINITY,
      this.#parts.pacedUntil ?? Number.POSITIVE_INFINITY,
    );
    for (const name of packetSpaces) {
      if (allowance >= (name === "initial" ? minInitialDatagramBytes : minDatagramBytes)) {
        deadline = Math.min(deadline, spaces[name].received.ackAt ?? Number.POSITIVE_INFINITY);
      }
    }
    return deadline;
  }

  /** Handles timeouts, and marks lost data for sending. Must be called at `deadline` or later. */
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
    if (now >= this.#idleEndsAt() || (!this.#link.isDone && now >= this.#handshakeEndsAt)) {
      this.#end({ by: "timeout", code: 0, application: false, reason: "nothing came in time" });
      return;
    }
    this.#guarded(now, () => {
      if (!this.#receiver.paths.check(now)) {
        this.#end({ by: "timeout", code: 0, application: false, reason: "no path works" });
        return;
      }
      const { recovery, spaces, path, mtu } = this.#parts;
      if (path.dataAllowance < minDatagramBytes) {
        return;
      }
      const { lost, probe } = recovery.onTimeout(now);
      sendAgain(this.#parts, lost, now);
      if (probe !== undefined) {
        mtu.onProbeTimeout(recovery.probesInVain, now);
        spaces[probe].probes = probePackets;
        sendAgain(this.#parts, recovery.sent[probe].oldest(probePackets), now);
      }
    });
  }

  /** @returns the datagrams to send now */
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
    this.#parts.pacedUntil = undefined;
    if (this.#state === "open") {
      this.#guarded(now, () => {
        this.#receiver.replayAfterDecision(now);
        this.#buildInto(datagrams, now);
      });
    }
    return datagrams;
  }

  onAuthenticPacket(now: number): void {
    this.#lastActiveAt = now;
    this.#sentSinceReceived = false;
  }

  onPeerClosed(reason: CloseReason, now: number): void {
    this.#leave("draining", now, reason);
  }

  /** Builds datagrams until nothing is left, or until other connections have their turn. */
  #buildInto(datagrams: OutgoingDatagram[], now: number): void {
    while (this.#state === "open") {
      if (datagrams.length === maxDatagramsPerTurn) {
        this.#hasMore = true;
        return;
      }
      const built = this.#builder.build(now);
      if (built !== undefined) {
        datagrams.push(built);
        this.#onSent(built, now);
      } else if (!this.#parts.streams.notifyDrained()) {
        return;
      }
    }
  }

  /** Reports a sent datagram to path, pacer and timers. */
  #onSent({ bytes, address, spaces, elicitsAck }: BuiltDatagram, now: number): void {
    const { path, recovery, oneRtt, role, pacer, mtu } = this.#parts;
    if (sameAddress(address, path.address)) {
      path.onSent(bytes.length);
    }
    if (elicitsAck) {
      pacer?.onSent(bytes.length);
    }
    if (bytes.length > mtu.current - fullDatagramSlack) {
      mtu.onFullDatagram();
    }
    if (elicitsAck && !this.#sentSinceReceived) {
      this.#sentSinceReceived = true;
      this.#lastActiveAt = now;
    }
    if (role === "client" && spaces.includes("handshake")) {
      this.#link.discard("initial");
    }
    if (recovery.handshakeConfirmed && oneRtt.isUpdateDue) {
      oneRtt.update();
    }
  }

  /** The shorter idle timeout of both sides, but at least three probe timeouts. Source: RFC 9000, section 10.1 */
  #idleEndsAt(): number {
    const own = this.#options.settings.maxIdleTimeoutMs;
    const peer = this.#link.peer?.maxIdleTimeoutMs ?? 0;
    const timeout = peer === 0 ? own : Math.min(own, peer);
    return this.#lastActiveAt + Math.max(timeout, 3 * this.#parts.recovery.probeTimeout);
  }

  /** Errors of the peer and of this side end only this connection. */
  #guarded(now: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#closeFor(error, now);
    }
  }

  /**
   * Closes after an error. A violation is sent with its code, any other error as `internalError`. The cause goes to
   * `onClosed` only.
   */
  #closeFor(error: unknown, now: number): void {
    if (error instanceof QuicError) {
      const { code, frameType, message } = error;
      this.#close({ code, frameType, application: false, reason: message }, now);
      return;
    }
    const code = transportErrors.internalError;
    this.#close({ code, frameType: 0, application: false, reason: "internal error", fault: error }, now);
  }

  /** Moves to `closing`; nothing happens in any other state. */
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

  /** Ends the connection without a close frame, because the peer is gone. */
  #end(reason: CloseReason): void {
    this.#leave("over", this.#now, reason);
    this.#parts.localIds.retireAll();
  }

  /** Releases what only an open connection needs, and calls `onClosed`. */
  #leave(
    state: "closing" | "draining" | "over",
    now: number,
    { by, code, application, reason, fault }: CloseReason,
  ): void {
    this.#state = state;
    this.#overAt = now + closingProbeTimeouts * this.#parts.recovery.probeTimeout;
    this.#receiver.clear();
    this.#parts.streams.close();
    for (const name of packetSpaces) {
      this.#parts.spaces[name].cryptoToSend.clear();
      this.#parts.recovery.discard(name);
    }
    this.#events.onClosed({ by, code, application, reason, fault });
  }
}

/**
 * Creates the parts of a connection. Both sides derive the Initial keys from the client's first ID. Source: RFC 9001,
 * section 5.2
 */
function newParts(options: ConnectionOptions, { client, server }: InitialKeys): ConnectionParts {
  const { role, settings, events, registry, localId, remoteId, address } = options;
  const initial = new PacketSpace("initial");
  initial.keys = role === "server" ? { read: client, write: server } : { read: server, write: client };
  const recovery: ConnectionParts["recovery"] = new LossRecovery(
    settings.datagramBytes,
    settings.congestionControl,
  );
  recovery.idleProbe = role === "client" ? "initial" : undefined;
  return {
    role,
    spaces: {
      initial,
      handshake: new PacketSpace("handshake"),
      application: new PacketSpace("application"),
    },
    oneRtt: new OneRttKeys(),
    earlyData: new EarlyData(),
    recovery,
    idleFrames: new IdleFrames(options.now),
    streams: new StreamSet(role, ownParameters(options), events),
    localIds: new LocalIds(registry, localId),
    remoteIds: new RemoteIds(remoteId),
    sourceId: localId.id,
    token: Buffer.alloc(0),
    path: new NetworkPath(address, role === "client" || options.addressValidated === true),
    mtu: new PathMtu(settings.datagramBytes, settings.maxDatagramBytes),
    pacer: settings.pacing ? new Pacer() : undefined,
    pacedUntil: undefined,
    handshakeDoneDue: false,
    newToken: undefined,
    pathResponses: [],
  };
}
