import { randomBytes } from "node:crypto";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import { z } from "zod";
import { ticketKeyBytes } from "./session-tickets.ts";

/** Storage key of the file with the ticket keys. */
const storedName = "stek/keys.json";
/** Lock that is held while the keys are read and, if they are due, replaced. */
const lockName = "stek_check";
/** Other servers write the file too, so its size must be limited. A key has 64 characters. */
const maxStoredBytes = 64 * 1024;
/** Pause in milliseconds before the next attempt when the storage has failed. */
const retryMs = 60_000;

const storedSchema = z.object({
  /** The keys in base64, newest first. */
  keys: z
    .array(
      z.base64().transform((text, context) => {
        const key = Buffer.from(text, "base64");
        if (key.length !== ticketKeyBytes) {
          context.addIssue(`a key has ${key.length} bytes`);
        }
        return key;
      }),
    )
    .min(1),
  /** Time of the next rotation, RFC 3339. The first server that reads the file after this time makes a new key. */
  nextRotation: z.iso.datetime({ offset: true }),
});

type StoredKeys = z.infer<typeof storedSchema>;

export interface StoredTicketKeysOptions {
  readonly storage: Storage;
  readonly log: Logger;
  /** Milliseconds between two new keys; undefined: this server makes a key only when none is stored. */
  readonly intervalMs: number | undefined;
  /** Maximum number of valid keys. A new key replaces the oldest one. */
  readonly maxKeys: number;
  /** Called when the keys have changed. */
  changed(): void;
}

/**
 * Keys for session tickets in a shared storage: each server that shares it accepts the tickets of all servers. When the
 * next key is due, the first server that notices it makes the key under a lock. The other servers read that key.
 * Source: Caddy 2.11, tls.stek.distributed
 */
export class StoredTicketKeys {
  readonly #options: StoredTicketKeysOptions;
  /** The newest `maxKeys` keys in the storage. */
  #keys: readonly Uint8Array[] = [];
  /** Timer for the next check of the storage. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: StoredTicketKeysOptions) {
    this.#options = options;
  }

  /** Reads the keys, or makes the first key. @throws ServerError STORAGE */
  static async open(options: StoredTicketKeysOptions): Promise<StoredTicketKeys> {
    const keys = new StoredTicketKeys(options);
    keys.#take(await keys.#current());
    return keys;
  }

  /** Keys of 48 bytes, newest first. The newest key is for new sessions. */
  get keys(): readonly Uint8Array[] {
    return this.#keys;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Starts to use these keys, and plans the next check for the time of their rotation. */
  #take({ keys, nextRotation }: StoredKeys): void {
    this.#keys = keys.slice(0, this.#options.maxKeys);
    this.#lookIn(Date.parse(nextRotation) - Date.now());
  }

  /** Plans a check, at least 10 ms and at most one interval from now. */
  #lookIn(ms: number): void {
    if (this.#options.intervalMs !== undefined && !this.#closed) {
      // Another server set the rotation time, so it may be far away or wrong. The keys are therefore checked at least
      // once in each interval.
      const waitMs = Math.min(Math.max(ms, 10), this.#options.intervalMs, 2 ** 31 - 1);
      this.#timer = setTimeout(() => void this.#look(), waitMs).unref();
    }
  }

  /**
   * Reads the keys again; the first server after the rotation time makes the new key. After a failure, the old keys
   * stay in use, and the next attempt follows in a minute.
   */
  async #look(): Promise<void> {
    const { log, changed } = this.#options;
    try {
      const current = await this.#current();
      if (!this.#closed) {
        const before = this.#keys[0];
        this.#take(current);
        if (before === undefined || current.keys[0]?.equals(before) !== true) {
          changed();
        }
      }
    } catch (error) {
      log.error(`session tickets: ${messageOf(error)}`);
      this.#lookIn(retryMs);
    }
  }

  /** The stored keys; if a rotation is due, with a new key first. @throws ServerError STORAGE */
  async #current(): Promise<StoredKeys> {
    const { storage, intervalMs, maxKeys } = this.#options;
    const giveBack = await storage.lock(lockName);
    try {
      const stored = await this.#load();
      const isDue = stored === undefined || Date.parse(stored.nextRotation) <= Date.now();
      if (stored !== undefined && (!isDue || intervalMs === undefined)) {
        return stored;
      }
      const keys = [randomBytes(ticketKeyBytes), ...(stored?.keys ?? [])].slice(0, maxKeys);
      const nextRotation = new Date(Date.now() + (intervalMs ?? 0)).toISOString();
      const text = { keys: keys.map((key) => key.toString("base64")), nextRotation };
      await storage.store(storedName, JSON.stringify(text));
      return { keys, nextRotation };
    } finally {
      await giveBack();
    }
  }

  /** An unreadable file is replaced, because otherwise no server could start. */
  async #load(): Promise<StoredKeys | undefined> {
    const bytes = await this.#options.storage.load(storedName, maxStoredBytes);
    if (bytes === undefined) {
      return undefined;
    }
    try {
      return storedSchema.parse(JSON.parse(bytes.toString()));
    } catch {
      this.#options.log.warn(`session tickets: ${storedName} of the storage cannot be read: making new keys`);
      return undefined;
    }
  }
}
