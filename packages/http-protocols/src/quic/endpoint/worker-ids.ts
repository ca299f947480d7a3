import { type Cipheriv, createCipheriv, randomBytes } from "node:crypto";
import { ownCopy } from "../wire/own-copy.ts";
import { isLongHeader } from "../wire/packet-header.ts";

/** Bytes of the connection IDs that a server creates. */
export const idBytes = 8;
const blockBytes = 16;
const keyBytes = 16;
/** Position of the destination ID in a long header: after the first byte, the version and the length of the ID. */
const longIdAt = 6;
/** Bits of a long header's first byte with the packet type, and their value in Handshake packets. */
const longTypeBits = 0x30;
const handshakeType = 0x20;

/** Maximum number of workers in a server, because their number takes one byte. */
export const maxWorkers = 256;

/**
 * Connection IDs with the number of the worker that owns the connection. After the client's address or port changes,
 * another worker may receive a packet, and passes it on by this number. Reading the number requires the key.
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
    const id = ownCopy(randomBytes(idBytes));
    id[0] = this.#worker ^ this.#mask(id);
    return id;
  }

  /**
   * The worker that created the destination ID of a datagram's first packet.
   * @param datagram its first 14 bytes are enough
   * @returns undefined when the client may have chosen the ID, or the bytes are not a packet: the worker that received
   * it then handles it. For an ID that no worker created, the result may be any number.
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

  /** A mask for the first byte of an ID, computed from the other bytes and the key. */
  #mask(id: Uint8Array): number {
    const block = Buffer.alloc(blockBytes);
    block.set(id.subarray(1));
    return this.#cipher.update(block)[0] as number;
  }
}
