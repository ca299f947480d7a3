import { type PeerAddress, sameAddress } from "../connection/network-path.ts";
import type { PacketHeader } from "../wire/packet-header.ts";

/** A ClientHello with post-quantum keys takes two datagrams; the others are room for repeated ones. */
const maxDatagrams = 4;
/** Clients that wait at most, without and with a token. A client keeps up to 6 kB. */
const maxWaiting = { unknown: 2_048, known: 4_096 };
/**
 * Longest time from a client's first datagram until its handshake begins, in milliseconds. Clients give up 5 seconds after their
 * first datagram, and the rest of the handshake needs time as well.
 */
const maxWaitMs = 3_500;
/** Clients repeat first packets within this time, in milliseconds. A client that stays silent for longer has left. */
const maxSilenceMs = 5_000;
/** Time that one client takes until it was measured, in milliseconds. */
const firstTurnMs = 4;
/** Weight of the newest measurement of that time. */
const turnWeight = 1 / 32;

const keyOf = (id: Buffer) => id.toString("latin1");

/** A client whose first packet came. */
export interface Newcomer {
  /** Header of its first packet. */
  readonly header: PacketHeader;
  /** Address in its datagrams, which may be forged. */
  readonly address: PeerAddress;
  /** Id of its very first packet, where a Retry came between. */
  readonly originalId: Buffer | undefined;
  /** Whether it showed that it receives at its address. */
  readonly isKnown: boolean;
  /** Its datagrams so far, at least one and at most four. */
  readonly datagrams: Buffer[];
  /** When the first of its datagrams came, also before a Retry, in milliseconds of the endpoint's clock. */
  readonly firstAt: number;
  /** When the last of them came. */
  lastAt: number;
}

/**
 * Clients whose handshake did not begin. A handshake takes milliseconds and a full socket drops datagrams, so a burst of clients
 * waits here while the socket is read empty. Clients whose turn would come too late are refused at once.
 */
export class NewcomerQueue {
  /** By the id that the client chose. */
  readonly #byId = new Map<string, Newcomer>();
  /** The first came first. */
  readonly #waiting: Newcomer[] = [];
  /** Time between two clients while clients wait: a mean that forgets. */
  #turnMs = firstTurnMs;
  /** When the last client was taken; undefined when none waited since. */
  #lastTurnAt: number | undefined;

  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Decides what becomes of a client, from the time that clients took lately.
   * @returns "retry" for a client that must show its address; "refuse" for one that would give up before its turn
   */
  judge({ isKnown, firstAt }: Newcomer, now: number): "wait" | "retry" | "refuse" {
    if (now - firstAt + this.size * this.#turnMs > maxWaitMs || this.size >= maxWaiting.known) {
      return "refuse";
    }
    return isKnown || this.size < maxWaiting.unknown ? "wait" : "retry";
  }

  /** True for a client that will have left before its handshake is done. */
  isLate({ firstAt }: Newcomer, now: number): boolean {
    return now - firstAt > maxWaitMs;
  }

  add(newcomer: Newcomer): void {
    this.#byId.set(keyOf(newcomer.header.destinationId), newcomer);
    this.#waiting.push(newcomer);
  }

  /**
   * Takes a further datagram of a client that waits.
   * @param id destination of the datagram
   * @returns "dropped" when the client has enough datagrams here, or the datagram comes from another address; undefined when no
   *   client with this id waits
   */
  join(id: Buffer, datagram: Buffer, address: PeerAddress, now: number): "joined" | "dropped" | undefined {
    const newcomer = this.#byId.get(keyOf(id));
    if (newcomer === undefined) {
      return undefined;
    }
    if (!sameAddress(newcomer.address, address)) {
      return "dropped";
    }
    newcomer.lastAt = now;
    if (newcomer.datagrams.length === maxDatagrams) {
      return "dropped";
    }
    newcomer.datagrams.push(datagram);
    return "joined";
  }

  /** Takes the client that waits longest. Clients that left are forgotten. */
  next(now: number): Newcomer | undefined {
    for (;;) {
      const newcomer = this.#waiting.shift();
      if (newcomer === undefined) {
        return undefined;
      }
      this.#byId.delete(keyOf(newcomer.header.destinationId));
      if (now - newcomer.lastAt <= maxSilenceMs) {
        return newcomer;
      }
    }
  }

  /** A handshake began at `now`: the time since the last one is what clients take while others wait. */
  handshakeBegan(now: number): void {
    if (this.#lastTurnAt !== undefined) {
      this.#turnMs += turnWeight * (now - this.#lastTurnAt - this.#turnMs);
    }
    this.#lastTurnAt = this.size > 0 ? now : undefined;
  }

  /** Forgets all clients. */
  clear(): void {
    this.#waiting.length = 0;
    this.#byId.clear();
    this.#lastTurnAt = undefined;
  }
}
