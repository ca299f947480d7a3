import { type PeerAddress, sameAddress } from "../connection/network-path.ts";
import type { PacketHeader } from "../wire/packet-header.ts";

/** A ClientHello with post-quantum keys takes two datagrams; the rest is space for repeated ones. */
const maxDatagrams = 4;
/** Limits of waiting clients, without and with a token. Each client uses up to 6 kB. */
const maxWaiting = { unknown: 2_048, known: 4_096 };
/**
 * Longest time from a client's first datagram to the start of its handshake, in milliseconds. Clients give up 5 seconds
 * after their first datagram, and the rest of the handshake needs time too.
 */
const maxWaitMs = 3_500;
/** Clients repeat first packets within this time, in milliseconds. A client that sends nothing for longer has left. */
const maxSilenceMs = 5_000;
/** Assumed time for one client before it is measured, in milliseconds. */
const firstTurnMs = 4;
/** Weight of the newest measurement of that time. */
const turnWeight = 1 / 32;

const keyOf = (id: Buffer) => id.toString("latin1");

/** A client whose first packet arrived. */
export interface Newcomer {
  /** Header of its first packet. */
  readonly header: PacketHeader;
  /** Address in its datagrams, which may be forged. */
  readonly address: PeerAddress;
  /** ID of its very first packet, if a Retry came between. */
  readonly originalId: Buffer | undefined;
  /** True when it proved that it receives packets at its address. */
  readonly isKnown: boolean;
  /** Its datagrams so far, between one and four. */
  readonly datagrams: Buffer[];
  /** Time when the first of its datagrams arrived, even if before a Retry, in milliseconds of the endpoint's clock. */
  readonly firstAt: number;
  /** Time when the last of them arrived. */
  lastAt: number;
}

/**
 * Clients whose handshake has not started. A handshake takes milliseconds, and a full socket drops datagrams. During a
 * burst, clients therefore wait here while the socket is read. Clients whose turn would come too late are refused
 * immediately.
 */
export class NewcomerQueue {
  /** By the id that the client chose. */
  readonly #byId = new Map<string, Newcomer>();
  /** In the order of arrival. */
  readonly #waiting: Newcomer[] = [];
  /** Time between two clients while clients wait: a mean that forgets. */
  #turnMs = firstTurnMs;
  /** Time when the last client was taken; undefined when none has waited since then. */
  #lastTurnAt: number | undefined;

  get size(): number {
    return this.#waiting.length;
  }

  /**
   * Decides about a client, from the time that recent clients took.
   * @returns "retry" for a client that must prove its address; "refuse" for one that would give up before its turn
   */
  judge({ isKnown, firstAt }: Newcomer, now: number): "wait" | "retry" | "refuse" {
    if (now - firstAt + this.size * this.#turnMs > maxWaitMs || this.size >= maxWaiting.known) {
      return "refuse";
    }
    return isKnown || this.size < maxWaiting.unknown ? "wait" : "retry";
  }

  /** True for a client that will have left before its handshake ends. */
  isLate({ firstAt }: Newcomer, now: number): boolean {
    return now - firstAt > maxWaitMs;
  }

  add(newcomer: Newcomer): void {
    this.#byId.set(keyOf(newcomer.header.destinationId), newcomer);
    this.#waiting.push(newcomer);
  }

  /**
   * Stores a further datagram of a waiting client.
   * @param id destination of the datagram
   * @returns "dropped" when the client has enough datagrams here, or when the datagram comes from another address;
   * undefined when no client with this ID waits
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

  /** Takes the client that has waited longest. Clients that have left are removed. */
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

  /**
   * A handshake started at `now`. While clients wait, the time since the last start is the time that one client takes.
   */
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
