import { randomBytes } from "node:crypto";
import type { Storage } from "server-core/storage/storage";
import { z } from "zod";

/** Length of an AES-256 key. */
const keyBytes = 32;
/** Pause between two look-ups of keys that another instance made. */
const rereadMs = 1_000;

/** A key as the storage has it. */
const keySchema = z.object({
  id: z.string(),
  key: z.base64url(),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
});

/** The storage file `session_keys/<purpose>.json`. */
const ringSchema = z.object({ keys: z.array(keySchema) });

/** A key with its time. */
type StoredKey = z.infer<typeof keySchema>;

/** Keys that seal what clients keep. Goes from thread to thread within the process and nowhere else. */
export interface SessionKeys {
  /** Newest first: it seals; all of them open. 32 bytes each. */
  readonly keys: readonly { readonly id: string; readonly key: Uint8Array }[];
}

/** When keys change. */
export interface SessionKeyTimes {
  /** Milliseconds for which a key seals. */
  readonly rotateMs: number;
  /** Milliseconds after that for which the key still opens. */
  readonly keepMs: number;
}

/**
 * Keys of one purpose, in the storage that instances share, replaced in time.
 * | Age of a key | Seals | Opens |
 * |---|---|---|
 * | younger than `rotateMs` | yes, if it is the newest | yes |
 * | up to `rotateMs + keepMs` | no | yes |
 * | older | no | until the next change removes it |
 *
 * Instances that share the storage share the keys; a lock lets one of them make the next key.
 */
export class SessionKeyRing {
  readonly #storage: Storage;
  /** Key of the file in the storage. */
  readonly #place: string;
  readonly #times: SessionKeyTimes;
  /** Keys as of the last look, the newest first. */
  #keys: readonly StoredKey[] = [];
  /** When that look was, in milliseconds since 1970. */
  #readAt = 0;
  /** A look under way, which all callers share. */
  #reading: Promise<void> | undefined;

  /** @param purpose letters, digits and `-`. Keys of one purpose open no values of another */
  constructor(storage: Storage, purpose: string, times: SessionKeyTimes) {
    this.#storage = storage;
    this.#place = `session_keys/${purpose}.json`;
    this.#times = times;
  }

  /**
   * @param wanted id of an unknown key; another instance may have created it
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

  /** Whether the newest key has sealed for long enough. */
  #isOld(now: number): boolean {
    return now - (this.#keys[0]?.createdAt ?? 0) >= this.#times.rotateMs;
  }

  /** Loads the keys, and makes one where the newest is old. */
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

  /** Adds a key in front, and removes expired keys. */
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
