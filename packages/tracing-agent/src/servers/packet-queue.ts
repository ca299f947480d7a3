import { freeBuffer } from "./free-buffer.ts";

const smallestBytes = 65_536;
/** Maximum number of bytes of the buffer that an empty queue keeps. A larger buffer is freed. */
const maxKeptBytes = 262_144;

/**
 * Packets that wait for a worker, in the order of arrival; at most `maxPackets`. Their bytes are copied into a ring
 * buffer. The buffers that the socket returns would live until V8 collects its old generation, and occupy tens of
 * megabytes.
 */
export class PacketQueue {
  readonly #maxPackets: number;
  #bytes = Buffer.allocUnsafeSlow(smallestBytes);
  /** Offset in `#bytes` where the next packet can be written. */
  #end = 0;
  /** Offset and length of each packet, alternating. */
  #spans: number[] = [];
  /**
   * Index in `#spans` of the first packet that is still in the queue. Earlier entries are removed when they are half of
   * the array.
   */
  #first = 0;

  constructor(maxPackets: number) {
    this.#maxPackets = maxPackets;
  }

  get size(): number {
    return (this.#spans.length - this.#first) / 2;
  }

  /**
   * @param packet its bytes are copied
   * @returns false when the queue is full and the packet was not added
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
   * Takes waiting packets until the next packet would exceed a limit. If any packet waits, at least one is taken,
   * whatever its size.
   * @param use called with each packet, which is valid only during the call; must neither throw nor call `offer`
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
   * Finds `length` contiguous free bytes after the last packet, or at the start of the buffer. Enlarges the buffer when
   * there are not enough free bytes.
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

  /** Copies the packets in order into a buffer at least twice as large. */
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
