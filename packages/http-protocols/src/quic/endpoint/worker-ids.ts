import { type Cipheriv, createCipheriv, randomBytes } from "node:crypto";
import { isLongHeader } from "../wire/packet-header.ts";

/** Length of the connection ids that a server gives out. */
export const idBytes = 8;
const blockBytes = 16;
const keyBytes = 16;
/** Where the destination id of a long header begins: behind the first byte, the version and the length of the id. */
const longIdAt = 6;
/** Bits of a long header's first byte that name its type, and their value in Handshake packets. */
const longTypeBits = 0x30;
const handshakeType = 0x20;

/** Workers that a server can have: their number takes one byte. */
export const maxWorkers = 256;

/**
 * Connection ids that name the worker that has the connection, so that a packet which another worker received finds its
 * way: after its client moved, or got another port from its network. Who lacks the key cannot read the number.
 */
export class WorkerIds {
  readonly #worker: number;
  readonly #cipher: Cipheriv;

  /**
   * @param key the first 16 bytes count; the same for all workers of an address
   * @param worker number of this worker, below `maxWorkers`
   */
  constructor(key: Buffer, worker: number) {
    if (!Number.isInteger(worker) || worker < 0 || worker >= maxWorkers) {
      throw new RangeError(`the number of a worker is ${worker}, not below ${maxWorkers}`);
    }
    this.#worker = worker;
    this.#cipher = createCipheriv("aes-128-ecb", key.subarray(0, keyBytes), null).setAutoPadding(false);
  }

  issue(): Buffer {
    const id = randomBytes(idBytes);
    id[0] = this.#worker ^ this.#mask(id);
    return id;
  }

  /**
   * The worker that gave out the destination id of a datagram's first packet.
   * @param datagram its first 14 bytes are enough
   * @returns undefined for packets whose id the client may have chosen, which belong to whoever receives them, and for what is
   *   no packet; any number for an id that nobody gave out
   */
  workerOf(datagram: Uint8Array): number | undefined {
    const first = datagram[0] ?? 0;
    const long = isLongHeader(first);
    if (long && ((first & longTypeBits) !== handshakeType || datagram[longIdAt - 1] !== idBytes)) {
      return undefined;
    }
    const at = long ? longIdAt : 1;
    const id = datagram.subarray(at, at + idBytes);
    return id.length < idBytes ? undefined : (id[0] as number) ^ this.#mask(id);
  }

  /** A byte that follows from all bytes of the id but the first. */
  #mask(id: Uint8Array): number {
    const block = Buffer.alloc(blockBytes);
    block.set(id.subarray(1));
    return this.#cipher.update(block)[0] as number;
  }
}
