import { randomInt } from "node:crypto";
import type { SharedState } from "server-core/threads/shared-state";

const words = 8;

/** A secret of 32 bytes that all threads of the process share, including threads that start later. */
export async function sharedKey(shared: SharedState): Promise<Buffer> {
  const memory = new Int32Array(await shared.memory("http3.key", words * Int32Array.BYTES_PER_ELEMENT));
  const key = Buffer.alloc(words * Int32Array.BYTES_PER_ELEMENT);
  for (let index = 0; index < words; index++) {
    // The first thread writes the word. 0 means that no thread has written it yet.
    Atomics.compareExchange(memory, index, 0, randomInt(1, 2 ** 31));
    key.writeInt32LE(Atomics.load(memory, index), index * Int32Array.BYTES_PER_ELEMENT);
  }
  return key;
}
