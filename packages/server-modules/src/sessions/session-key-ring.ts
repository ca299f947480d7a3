import { randomBytes } from "node:crypto";
import type { Storage } from "server-core/storage/storage";
import { z } from "zod";

/** Length of an AES-256 key. */
const keyBytes = 32;
/** Pause between two look-ups of keys that another instance made. */
const rereadMs = 1_000;

const keySchema = z.object({
  id: z.string(),
  key: z.base64url(),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
});

const ringSchema = z.object({ keys: z.array(keySchema) });

type StoredKey = z.infer<typeof keySchema>;

/** Keys that seal what clients keep. Goes from thread to thread within the process and nowhere else. */
export interface SessionKeys {
  /** Newest first: it seals; all of them open. 32 bytes each. */
  readonly keys: readonly { readonly id: string; readonly key: Uint8Array }[];
}

export interface SessionKeyTimes {
  /** Milliseconds for which a key seals. */
  readonly rotateMs: number;
  /** Milliseconds after that for which the key still opens. */
  readonly keepMs: number;
}

/** Keys of one purpose, in the storage that instances share, replaced in time. */
export class SessionKeyRing {
  readonly #storage: Storage;
  readonly #place: string;
  readonly #times: SessionKeyTimes;
  #keys: readonly StoredKey[] = [];
  #readAt = 0;
  #reading: Promise<void> | undefined;

  /** @param purpose letters, digits and `-`: those of one purpose open nothing of another */
  constructor(storage: Storage, purpose: string, times: SessionKeyTimes) {
    this.#storage = storage;
    this.#place = `session_keys/${purpose}.json`;
    this.#times = times;
  }

  /**
   * @param wanted id of a key that is missed: another instance may have made it
   * @throws ServerError STORAGE
   */
  async keys(wanted = "", now = Date.now()): Promise<SessionKeys> {
    const missed = wanted !== "" && !this.#keys.some(({ id }) => id === wanted);
    if (this.#isOld(now) || (missed && now - this.#readAt >= rereadMs)) {
      this.#reading ??= this.#read(now).finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    return { keys: this.#keys.map(({ id, key }) => ({ id, key: Buffer.from(key, "base64url") })) };
  }

  #isOld(now: number): boolean {
    return now - (this.#keys[0]?.createdAt ?? 0) >= this.#times.rotateMs;
  }

  async #read(now: number): Promise<void> {
    await this.#load();
    if (this.#isOld(now)) {
      const unlock = await this.#storage.lock(this.#place.replaceAll("/", "_"));
      try {
        // Another instance may have been faster.
        await this.#load();
        if (this.#isOld(now)) {
          await this.#rotate(now);
        }
      } finally {
        await unlock();
      }
    }
    this.#readAt = now;
  }

  async #load(): Promise<void> {
    const text = (await this.#storage.load(this.#place))?.toString() ?? "{}";
    let stored: unknown;
    try {
      stored = JSON.parse(text);
    } catch {
      // Damaged: other keys take its place, and clients sign in again.
    }
    this.#keys = ringSchema.safeParse(stored).data?.keys ?? [];
  }

  async #rotate(now: number): Promise<void> {
    const { rotateMs, keepMs } = this.#times;
    const made = {
      id: randomBytes(6).toString("base64url"),
      key: randomBytes(keyBytes).toString("base64url"),
      createdAt: now,
    };
    const kept = this.#keys.filter(({ createdAt }) => now - createdAt < rotateMs + keepMs);
    const keys = [made, ...kept];
    await this.#storage.store(this.#place, JSON.stringify({ keys }));
    this.#keys = keys;
  }
}
