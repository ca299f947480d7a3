import type { NumberRange } from "../wire/frames.ts";
import { type PacketSpaceName, packetSpaces } from "../wire/packet-header.ts";
import type { CongestionWindow } from "./congestion-window.ts";
import { Cubic } from "./cubic.ts";
import { NewReno } from "./new-reno.ts";
import { granularityMs, RttEstimator } from "./rtt-estimator.ts";
import { type SentPacket, SentPackets } from "./sent-packets.ts";

/** Losses over more than this many probe timeouts mean persistent congestion. Source: RFC 9002, section 7.6.1 */
const persistentCongestionFactor = 3;
/**
 * Maximum number of doublings of the probe timeout. Later probes keep the same timeout. The idle timeout ends the
 * connection long before.
 */
const maxDoublings = 10;

/** `cubic` is RFC 9438, `new-reno` RFC 9002, section 7. */
export type CongestionControl = "cubic" | "new-reno";

const newWindow = (control: CongestionControl, datagramBytes: number): CongestionWindow =>
  control === "cubic" ? new Cubic(datagramBytes) : new NewReno(datagramBytes);

/** The packets that an ACK frame acknowledges or shows to be lost. */
export interface AckResult<Frame> {
  /** Newly acknowledged packets, which no earlier frame acknowledged. */
  readonly acked: readonly SentPacket<Frame>[];
  /** Packets sent long before an acknowledged packet. Their frames must be sent again. */
  readonly lost: readonly SentPacket<Frame>[];
}

/**
 * Detects losses and determines when to probe, for all packet number spaces of one path. Source: RFC 9002, appendix A
 */
export class LossRecovery<Frame> {
  readonly sent: Readonly<Record<PacketSpaceName, SentPackets<Frame>>> = {
    initial: new SentPackets(),
    handshake: new SentPackets(),
    application: new SentPackets(),
  };
  rtt = new RttEstimator();
  congestion: CongestionWindow;
  readonly #datagramBytes: number;
  readonly #control: CongestionControl;
  #probesInVain = 0;
  /** Longest time for which the peer may delay acknowledgments of 1-RTT packets. */
  peerMaxAckDelayMs = 25;
  /** True once the handshake is confirmed. Before, the peer may not acknowledge 1-RTT packets, so none are probed. */
  handshakeConfirmed = false;

  /**
   * Space that sends probes even when no packet is unacknowledged: the server may be unable to send until the client
   * sends more. Clients set this until the handshake is confirmed. Source: RFC 9002, section 6.2.2.1
   */
  idleProbe: PacketSpaceName | undefined;

  constructor(datagramBytes: number, control: CongestionControl = "cubic") {
    this.#datagramBytes = datagramBytes;
    this.#control = control;
    this.congestion = newWindow(control, datagramBytes);
  }

  /** Number of probe timeouts since the peer last acknowledged a packet. */
  get probesInVain(): number {
    return this.#probesInVain;
  }

  /** Probe timeout in milliseconds, with the peer's delay of acknowledgments and without doublings. */
  get probeTimeout(): number {
    return this.rtt.probeTimeout + this.peerMaxAckDelayMs;
  }

  onSent(space: PacketSpaceName, packet: SentPacket<Frame>): void {
    this.sent[space].add(packet);
    this.congestion.onSent(packet.bytes);
  }

  /** @param ackDelay from the peer, in milliseconds */
  onAck(
    space: PacketSpaceName,
    ranges: readonly NumberRange[],
    ackDelay: number,
    now: number,
  ): AckResult<Frame> {
    const sent = this.sent[space];
    const acked = sent.takeAcked(ranges);
    const newest = acked.at(-1);
    if (newest === undefined) {
      return { acked, lost: [] };
    }
    if (newest.number === (ranges[0] as NumberRange).high) {
      const limited = this.handshakeConfirmed ? Math.min(ackDelay, this.peerMaxAckDelayMs) : ackDelay;
      this.rtt.addSample(Math.max(now - newest.sentAt, 0), space === "application" ? limited : 0, now);
    }
    const lost = this.#takeLost(space, now, ranges);
    const smoothedRttMs = this.rtt.smoothed;
    for (const { bytes, sentAt } of acked) {
      this.congestion.onAcked({ bytes, sentAt, now, smoothedRttMs });
    }
    this.#probesInVain = 0;
    return { acked, lost };
  }

  /** Time when `onTimeout` must be called; undefined when nothing waits. */
  deadline(): number | undefined {
    return this.#earliestLoss()?.at ?? this.#nextProbe()?.at;
  }

  /** @returns the packets that count as lost now, otherwise the space that must send a probe */
  onTimeout(now: number): { lost: readonly SentPacket<Frame>[]; probe: PacketSpaceName | undefined } {
    const loss = this.#earliestLoss();
    if (loss !== undefined) {
      return { lost: loss.at <= now ? this.#takeLost(loss.space, now, []) : [], probe: undefined };
    }
    const probe = this.#nextProbe();
    if (probe === undefined || probe.at > now) {
      return { lost: [], probe: undefined };
    }
    this.#probesInVain++;
    return { lost: [], probe: probe.space };
  }

  /** Forgets the packets of a space whose keys were discarded. Source: RFC 9002, section 6.4 */
  discard(space: PacketSpaceName): void {
    for (const { bytes } of this.sent[space].takeAll()) {
      this.congestion.onDiscarded(bytes);
    }
    this.#probesInVain = 0;
  }

  /** Resets estimates after the peer has moved to another network. Source: RFC 9000, section 9.4 */
  onNewPath(): void {
    const { inFlight } = this.congestion;
    this.rtt = new RttEstimator();
    this.congestion = newWindow(this.#control, this.#datagramBytes);
    this.congestion.inFlight = inFlight;
    this.#probesInVain = 0;
  }

  /** @param acked ranges that the peer acknowledged just now */
  #takeLost(
    space: PacketSpaceName,
    now: number,
    acked: readonly NumberRange[],
  ): readonly SentPacket<Frame>[] {
    const lost = this.sent[space].takeLost(now, this.rtt.lossDelay);
    let bytes = 0;
    let last: SentPacket<Frame> | undefined;
    for (const packet of lost) {
      if (packet.isSizeProbe === true) {
        // A size probe is lost because of its size, not because of congestion: RFC 9000, section 14.4.
        this.congestion.onDiscarded(packet.bytes);
      } else {
        bytes += packet.bytes;
        last = packet;
      }
    }
    if (last !== undefined) {
      this.congestion.onLost(bytes, last.sentAt, now);
      if (this.#isPersistent(lost, acked)) {
        this.congestion.onPersistentCongestion();
      }
    }
    return lost;
  }

  /** True when all packets of a long period were lost, so that no probe can have arrived. */
  #isPersistent(lost: readonly SentPacket<Frame>[], acked: readonly NumberRange[]): boolean {
    const { firstSampleAt } = this.rtt;
    if (firstSampleAt === undefined) {
      return false;
    }
    const duration = this.probeTimeout * persistentCongestionFactor;
    let first: SentPacket<Frame> | undefined;
    let previous = -1;
    for (const packet of lost) {
      if (packet.sentAt <= firstSampleAt || packet.isSizeProbe === true) {
        continue;
      }
      // Missing numbers are harmless: such packets needed no acknowledgment, or the number was skipped.
      const arrived = acked.some(({ low, high }) => low < packet.number && high > previous);
      if (first === undefined || arrived) {
        first = packet;
      } else if (packet.sentAt - first.sentAt > duration) {
        return true;
      }
      previous = packet.number;
    }
    return false;
  }

  /** The space whose oldest packet will count as lost first. */
  #earliestLoss(): { at: number; space: PacketSpaceName } | undefined {
    let earliest: { at: number; space: PacketSpaceName } | undefined;
    for (const space of packetSpaces) {
      const at = this.sent[space].lossAt;
      if (at !== undefined && (earliest === undefined || at < earliest.at)) {
        earliest = { at, space };
      }
    }
    return earliest;
  }

  /** Time and space of the next probe. The timeout doubles with each unanswered probe. Source: RFC 9002, section 6.2 */
  #nextProbe(): { at: number; space: PacketSpaceName } | undefined {
    const factor = 2 ** Math.min(this.#probesInVain, maxDoublings);
    let earliest: { at: number; space: PacketSpaceName } | undefined;
    for (const space of packetSpaces) {
      const { size, lastSentAt } = this.sent[space];
      if (size === 0 || (space === "application" && !this.handshakeConfirmed)) {
        continue;
      }
      const timeout =
        space === "application" ? this.probeTimeout : Math.max(this.rtt.probeTimeout, granularityMs);
      const at = lastSentAt + timeout * factor;
      if (earliest === undefined || at < earliest.at) {
        earliest = { at, space };
      }
    }
    if (earliest === undefined && this.idleProbe !== undefined) {
      const lastSentAt = Math.max(...packetSpaces.map((space) => this.sent[space].lastSentAt));
      return { at: lastSentAt + this.rtt.probeTimeout * factor, space: this.idleProbe };
    }
    return earliest;
  }
}
