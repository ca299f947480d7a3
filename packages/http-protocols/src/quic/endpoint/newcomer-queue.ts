import { type PeerAddress, sameAddress } from "../connection/network-path.ts";
import type { PacketHeader } from "../wire/packet-header.ts";

/**
 * Maximum number of datagrams that are stored for each waiting client. Further ones are dropped. A ClientHello takes
 * two; the client may repeat both.
 */
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
  /** Header of the client's first packet. */
  readonly header: PacketHeader;
  /** Source address of the client's datagrams, which may be forged. */
  readonly address: PeerAddress;
  /** Destination ID of the client's very first packet, if a Retry followed it; otherwise undefined. */
  readonly originalId: Buffer | undefined;
  /** True when the client has proved that it receives packets at its address. */
  readonly isKnown: boolean;
  /** The client's datagrams so far, between one and four. */
  readonly datagrams: Buffer[];
  /** Arrival of the client's first datagram, even before a Retry, in milliseconds of the endpoint's clock. */
  readonly firstAt: number;
  /** Arrival of the client's last datagram. */
  lastAt: number;
}

/**
 * Clients whose handshake has not started. A handshake takes milliseconds, and a full socket drops datagrams. During a
 * burst, clients therefore wait here while the socket is read. Clients whose turn would come too late are refused
 * immediately.
 */
export class NewcomerQueue {
  /** Waiting clients, by the destination ID of their first packet. */
  readonly #byId = new Map<string, Newcomer>();
  /** Waiting clients in the order of arrival. */
  readonly #waiting: Newcomer[] = [];
  /** Moving mean of the time between two handshakes while clients wait, in milliseconds. */
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
   * @returns "dropped" when four datagrams of the client are stored, or when the datagram comes from another address;
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
