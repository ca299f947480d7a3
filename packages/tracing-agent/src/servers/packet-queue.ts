/** Packets that wait for a worker: first in, first out, never more than `maxPackets`. */
export class PacketQueue {
  readonly #maxPackets: number;
  #packets: Buffer[] = [];
  /** Packets before this index were taken; they are cut off when they are half of the array. */
  #first = 0;

  constructor(maxPackets: number) {
    this.#maxPackets = maxPackets;
  }

  get size(): number {
    return this.#packets.length - this.#first;
  }

  /** @returns false when the queue is full: the packet is not in it then */
  offer(packet: Buffer): boolean {
    if (this.size >= this.#maxPackets) {
      return false;
    }
    this.#packets.push(packet);
    return true;
  }

  /**
   * Takes waiting packets until one more would be over a limit.
   * @returns at least one packet, whatever its size, unless none waits
   */
  take(maxPackets: number, maxBytes: number): Buffer[] {
    const taken: Buffer[] = [];
    let bytes = 0;
    while (taken.length < maxPackets) {
      const next = this.#packets[this.#first];
      if (next === undefined || (taken.length > 0 && bytes + next.length > maxBytes)) {
        break;
      }
      bytes += next.length;
      taken.push(next);
      this.#first++;
    }
    if (this.#first * 2 >= this.#packets.length) {
      this.#packets = this.#packets.slice(this.#first);
      this.#first = 0;
    }
    return taken;
  }
}
