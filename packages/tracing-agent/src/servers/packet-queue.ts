import { freeBuffer } from "./free-buffer.ts";

const smallestBytes = 65_536;
/** A queue that has grown over this gives its memory back when it is empty. */
const maxKeptBytes = 262_144;

/**
 * Packets that wait for a worker, first in, first out, at most `maxPackets`. Their bytes are copied into a
 * ring buffer. Packets kept as the socket delivers them would live until V8 collects its old generation, and
 * occupy tens of megabytes.
 */
export class PacketQueue {
  readonly #maxPackets: number;
  #bytes = Buffer.allocUnsafeSlow(smallestBytes);
  /** Where the next packet can be written. */
  #end = 0;
  /** Begin and length of each packet by turns. */
  #spans: number[] = [];
  /** Entries before this index were taken; they are removed when they are half of the array. */
  #first = 0;

  constructor(maxPackets: number) {
    this.#maxPackets = maxPackets;
  }

  get size(): number {
    return (this.#spans.length - this.#first) / 2;
  }

  /**
   * @param packet its bytes are copied
   * @returns false when the queue is full: the packet is not in it then
   */
  offer(packet: Uint8Array): boolean {
    if (this.size >= this.#maxPackets) {
      return false;
    }
    const start = this.#room(packet.length);
    this.#bytes.set(packet, start);
    this.#spans.push(start, packet.length);
    this.#end = start + packet.length;
    return true;
  }

  /**
   * Takes waiting packets until the next would exceed a limit; at least one when any waits, whatever its
   * size.
   * @param use gets each of them, good during the call; it must neither throw nor offer
   */
  take(maxPackets: number, maxBytes: number, use: (packet: Buffer) => void): void {
    let bytes = 0;
    for (let packets = 0; packets < maxPackets; packets++) {
      const start = this.#spans[this.#first];
      const length = this.#spans[this.#first + 1];
      if (start === undefined || length === undefined || (packets > 0 && bytes + length > maxBytes)) {
        break;
      }
      bytes += length;
      use(this.#bytes.subarray(start, start + length));
      this.#first += 2;
    }
    if (this.#first * 2 >= this.#spans.length) {
      this.#spans = this.#spans.slice(this.#first);
      this.#first = 0;
    }
  }

  /**
   * Finds `length` contiguous bytes after the last packet, or at the start; enlarges the buffer when there
   * are none.
   */
  #room(length: number): number {
    const oldest = this.#spans[this.#first];
    if (oldest === undefined) {
      if (this.#bytes.length > maxKeptBytes || this.#bytes.length < length) {
        freeBuffer(this.#bytes);
        this.#bytes = Buffer.allocUnsafeSlow(Math.max(length, smallestBytes));
      }
      return 0;
    }
    if (this.#end > oldest) {
      if (this.#end + length <= this.#bytes.length) {
        return this.#end;
      }
      if (length <= oldest) {
        return 0;
      }
    } else if (this.#end + length <= oldest) {
      return this.#end;
    }
    this.#grow(length);
    return this.#end;
  }

  /** Into a buffer twice as large, the packets in order. */
  #grow(length: number): void {
    const old = this.#bytes;
    this.#bytes = Buffer.allocUnsafeSlow(old.length * 2 + length);
    this.#end = 0;
    for (let index = this.#first; index < this.#spans.length; index += 2) {
      const [start = 0, packetLength = 0] = this.#spans.slice(index, index + 2);
      this.#bytes.set(old.subarray(start, start + packetLength), this.#end);
      this.#spans[index] = this.#end;
      this.#end += packetLength;
    }
    freeBuffer(old);
  }
}
