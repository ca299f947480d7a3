import { randomBytes } from "node:crypto";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import { z } from "zod";
import { ticketKeyBytes } from "./session-tickets.ts";

/** Where the keys rest, and the lock under which they change. */
const storedName = "stek/keys.json";
/** Held while the keys are read and, when it is time, replaced. */
const lockName = "stek_check";
/** Other servers write the file, so it is not trusted to be small. A key has 64 characters. */
const maxStoredBytes = 64 * 1024;
/** How long until the storage is asked again after it failed. */
const retryMs = 60_000;

const storedSchema = z.object({
  /** Newest first, base64. */
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
  /** When the next server that looks makes a new key, RFC 3339. */
  nextRotation: z.iso.datetime({ offset: true }),
});

type StoredKeys = z.infer<typeof storedSchema>;

/** How keys are kept. */
export interface StoredTicketKeysOptions {
  readonly storage: Storage;
  readonly log: Logger;
  /** How long a key is the newest; undefined: this server makes no new ones. */
  readonly intervalMs: number | undefined;
  /** How many count at a time. */
  readonly maxKeys: number;
  /** Called when they are other ones. */
  changed(): void;
}

/**
 * Keys for session tickets that rest in the storage, so that servers which share it take the tickets of each other.
 * The first server that sees the time is up makes the next key, under a lock; the other servers find that key.
 * Source: the public model (Caddy 2.11), tls.stek.distributed
 */
export class StoredTicketKeys {
  readonly #options: StoredTicketKeysOptions;
  /** The first `maxKeys` of the stored ones. */
  #keys: readonly Uint8Array[] = [];
  /** The next look at the storage. */
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  private constructor(options: StoredTicketKeysOptions) {
    this.#options = options;
  }

  /** Finds the keys, or makes the first. @throws ServerError STORAGE */
  static async open(options: StoredTicketKeysOptions): Promise<StoredTicketKeys> {
    const keys = new StoredTicketKeys(options);
    keys.#take(await keys.#current());
    return keys;
  }

  /** 48 bytes each; newest first: it is for new sessions. */
  get keys(): readonly Uint8Array[] {
    return this.#keys;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Uses keys from now on, and plans the next look for the time of their rotation. */
  #take({ keys, nextRotation }: StoredKeys): void {
    this.#keys = keys.slice(0, this.#options.maxKeys);
    this.#lookIn(Date.parse(nextRotation) - Date.now());
  }

  /** Plans a look, at least 10 ms and at most one interval from now. */
  #lookIn(ms: number): void {
    if (this.#options.intervalMs !== undefined && !this.#closed) {
      // A time far away, or behind the clock of another server, is looked at again before.
      const waitMs = Math.min(Math.max(ms, 10), this.#options.intervalMs, 2 ** 31 - 1);
      this.#timer = setTimeout(() => void this.#look(), waitMs).unref();
    }
  }

  /**
   * Reads the keys again; the first server after the rotation time makes the new key. A failure keeps the old
   * keys for a minute more.
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

  /** The stored keys, with a new one first where it is time. @throws ServerError STORAGE */
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

  /** An unreadable file is replaced, because it would keep every server from starting. */
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
