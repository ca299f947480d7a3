import { randomBytes } from "node:crypto";
import type { Logger } from "lifecycle";
import { errorWithin, messageOf, ServerError } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import { parseCertificates } from "../../material/pem.ts";

const dayMs = 24 * 3_600_000;
/** Milliseconds that an expired certificate stays in the storage. Source: certmagic */
const graceMs = 14 * dayMs;
const cleanRecord = "last_clean.json";

/**
 * Tests a storage: writes a value, reads it and removes it.
 * @throws ServerError STORAGE when the test fails; otherwise the server could obtain certificates without storing them
 */
export async function checkStorage(storage: Storage): Promise<void> {
  const key = `rw_test_${randomBytes(8).toString("hex")}`;
  const value = randomBytes(32).toString("hex");
  try {
    await storage.store(key, value);
    const read = (await storage.load(key))?.toString();
    if (read !== value) {
      throw new ServerError("STORAGE", `${key} reads otherwise than it was written`);
    }
    await storage.delete(key);
  } catch (error) {
    throw errorWithin("the storage is no good for certificates", error);
  }
}

async function lastCleanMs(storage: Storage): Promise<number> {
  try {
    const { at } = JSON.parse((await storage.load(cleanRecord))?.toString() ?? "{}") as { at?: string };
    return Date.parse(at ?? "") || 0;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return 0;
    }
    throw error;
  }
}

function isOver(pem: Buffer, source: string, now: number): boolean {
  try {
    const [leaf] = parseCertificates(pem, source);
    return leaf !== undefined && leaf.validToDate.getTime() + graceMs < now;
  } catch {
    // An unreadable file may belong to another program, so it is kept.
    return false;
  }
}

/**
 * Removes managed certificates and their keys two weeks after they expire. These are certificates of names that the
 * config no longer has; all others are renewed in time. When instances share a storage, only one instance cleans it in
 * each interval.
 * @returns number of removed certificates
 * @throws ServerError STORAGE
 */
export async function cleanStorage(storage: Storage, intervalMs: number, now = Date.now()): Promise<number> {
  const keys = await storage.list("certificates");
  if (keys.length === 0) {
    return 0;
  }
  const unlock = await storage.lock("storage_clean");
  try {
    // Timers may fire slightly early, so 90 percent of the interval is enough.
    if (now - (await lastCleanMs(storage)) < intervalMs * 0.9) {
      return 0;
    }
    let removed = 0;
    for (const key of keys) {
      const pem = key.endsWith(".crt") ? await storage.load(key) : undefined;
      if (pem !== undefined && isOver(pem, key, now)) {
        const base = key.slice(0, -".crt".length);
        // The certificate is deleted first, because the other files have no effect without it.
        for (const ending of ["crt", "key", "json"]) {
          await storage.delete(`${base}.${ending}`);
        }
        removed++;
      }
    }
    await storage.store(cleanRecord, JSON.stringify({ at: new Date(now).toISOString() }));
    return removed;
  } finally {
    await unlock();
  }
}

const firstCleanMs = 60_000;

/** Tests storages before certificates are obtained, and cleans them at intervals. */
export class StorageUpkeep {
  readonly #log: Logger;
  readonly #checked = new Set<Storage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Tests each storage once. @throws ServerError STORAGE */
  async check(storages: Iterable<Storage>): Promise<void> {
    for (const storage of storages) {
      if (!this.#checked.has(storage)) {
        await checkStorage(storage);
        this.#checked.add(storage);
      }
    }
  }

  /**
   * Cleans storages at this interval; the first cleaning follows after {@link firstCleanMs}. A config that is replaced
   * before that time does not clean, so a reload never waits for the disk. Failures are logged.
   */
  cleanEvery(intervalMs: number, storages: Iterable<Storage>): void {
    const all = [...new Set(storages)];
    const clean = () => void this.#clean(all, intervalMs);
    this.#timer = setTimeout(
      () => {
        this.#timer = setInterval(clean, intervalMs).unref();
        clean();
      },
      Math.min(firstCleanMs, intervalMs),
    ).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #clean(storages: readonly Storage[], intervalMs: number): Promise<void> {
    for (const storage of storages) {
      try {
        const removed = await cleanStorage(storage, intervalMs);
        if (removed > 0) {
          this.#log.info(`removed ${removed} certificates from the storage that were long over`);
        }
      } catch (error) {
        this.#log.warn(`cleaning the storage: ${messageOf(error)}`);
      }
    }
  }
}
