import { randomBytes } from "node:crypto";
import type { Storage } from "server-core/storage/storage";
import { z } from "zod";

/** Bytes of an AES-256 key. */
const keyBytes = 32;
/** Milliseconds between two lookups for keys of other instances. */
const rereadMs = 1_000;

/** A stored key. */
const keySchema = z.object({
  id: z.string(),
  key: z.base64url(),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
});

/** The storage file `session_keys/<purpose>.json`. */
const ringSchema = z.object({ keys: z.array(keySchema) });

/** A key and its creation time. */
type StoredKey = z.infer<typeof keySchema>;

/** Keys that encrypt data stored at clients. They pass between threads of the process, and never leave it. */
export interface SessionKeys {
  /** Newest first: the newest encrypts, and all decrypt. 32 bytes each. */
  readonly keys: readonly { readonly id: string; readonly key: Uint8Array }[];
}

/** Lifetimes of keys. */
export interface SessionKeyTimes {
  /** Milliseconds for which a key encrypts. */
  readonly rotateMs: number;
  /** Milliseconds after that for which the key still decrypts. */
  readonly keepMs: number;
}

/**
 * Keys of one purpose, rotated in time, in the storage that instances share.
 * | Age of a key | Encrypts | Decrypts |
 * |---|---|---|
 * | younger than `rotateMs` | yes, if it is the newest | yes |
 * | up to `rotateMs + keepMs` | no | yes |
 * | older | no | until the next change removes it |
 *
 * Instances with a shared storage share the keys. A lock lets only one of them create the next key.
 */
export class SessionKeyRing {
  readonly #storage: Storage;
  /** Key of the file in the storage. */
  readonly #place: string;
  readonly #times: SessionKeyTimes;
  /** Keys from the last read, the newest first. */
  #keys: readonly StoredKey[] = [];
  /** Time of the last read, in milliseconds since 1970. */
  #readAt = 0;
  /** Promise of a running read, shared by all callers. */
  #reading: Promise<void> | undefined;

  /** @param purpose letters, digits and `-`. Keys of one purpose cannot decrypt values of another */
  constructor(storage: Storage, purpose: string, times: SessionKeyTimes) {
    this.#storage = storage;
    this.#place = `session_keys/${purpose}.json`;
    this.#times = times;
  }

  /**
   * @param wanted id of an unknown key, which another instance may have created; "" for none
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

  /** True when the newest key has encrypted for long enough. */
  #isOld(now: number): boolean {
    return now - (this.#keys[0]?.createdAt ?? 0) >= this.#times.rotateMs;
  }

  /** Loads the keys, and creates a new one if the newest is old. */
  async #read(now: number): Promise<void> {
    await this.#load();
    if (this.#isOld(now)) {
      const unlock = await this.#storage.lock(this.#place.replaceAll("/", "_"));
      try {
        // Another instance may have created a key meanwhile.
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
      // The file is damaged: new keys replace it, and clients must sign in again.
    }
    this.#keys = ringSchema.safeParse(stored).data?.keys ?? [];
  }

  /** Adds a new key at the front, and removes expired keys. */
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
