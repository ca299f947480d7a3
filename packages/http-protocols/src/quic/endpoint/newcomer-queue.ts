import { type PeerAddress, sameAddress } from "../connection/network-path.ts";
import type { PacketHeader } from "../wire/packet-header.ts";

/** A ClientHello with post-quantum keys takes two datagrams; the others are room for repeated ones. */
const maxDatagrams = 4;
/**
 * Clients that wait at most. Those without a token need a Retry from the first limit on, which keeps nothing; the others are refused
 * from the second on. A client keeps up to 6 kB.
 */
const maxWaiting = { unknown: 2_048, known: 4_096 };
/** From this wait on, in milliseconds, the newest client is next: those that wait longest may have left. */
const longWaitMs = 1_000;
/** Clients repeat first packets within this time, in milliseconds. A client that stays silent for longer has left. */
const maxSilenceMs = 5_000;

const keyOf = (id: Buffer) => id.toString("latin1");

/** A client whose first packet came. */
export interface Newcomer {
  readonly header: PacketHeader;
  readonly address: PeerAddress;
  /** Id of its very first packet, where a Retry came between. */
  readonly originalId: Buffer | undefined;
  /** Whether it showed that it receives at its address. */
  readonly isKnown: boolean;
  /** Its datagrams so far, at least one and at most four. */
  readonly datagrams: Buffer[];
  /** When the first of its datagrams came, in milliseconds of the endpoint's clock. */
  readonly firstAt: number;
  /** When the last of them came. */
  lastAt: number;
}

/**
 * Clients whose handshake did not begin. A handshake takes milliseconds and a full socket drops datagrams, so a burst of clients
 * waits here while the socket is read empty.
 */
export class NewcomerQueue {
  /** By the id that the client chose. */
  readonly #byId = new Map<string, Newcomer>();
  /** The first came first. */
  readonly #waiting: Newcomer[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  /** @param isKnown whether the client showed that it receives at its address */
  isFull(isKnown: boolean): boolean {
    return this.size >= (isKnown ? maxWaiting.known : maxWaiting.unknown);
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

  /** Takes the client that waits longest, or the newest one when that is long. Clients that left are forgotten. */
  next(now: number): Newcomer | undefined {
    while (this.#waiting.length > 0) {
      const isLate = now - (this.#waiting[0] as Newcomer).firstAt > longWaitMs;
      const newcomer = (isLate ? this.#waiting.pop() : this.#waiting.shift()) as Newcomer;
      this.#byId.delete(keyOf(newcomer.header.destinationId));
      if (now - newcomer.lastAt <= maxSilenceMs) {
        return newcomer;
      }
    }
    return undefined;
  }

  /** Forgets all clients. */
  clear(): void {
    this.#waiting.length = 0;
    this.#byId.clear();
  }
}
