import { randomUUID } from "node:crypto";
import { link, mkdir, open, readFile, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { writeAtomically } from "./atomic-write.ts";

/** Interval in milliseconds at which the holder updates its lock. Source: certmagic, so that both may share a folder */
export const refreshMs = 5_000;
/** A lock of this age in milliseconds is stale, because its holder has not updated it. */
const staleMs = 2 * refreshMs;
/** Pause in milliseconds between two checks while waiting for a lock. */
const pollMs = 200;

const lockSchema = z.object({
  created: z.iso.datetime({ offset: true }),
  updated: z.iso.datetime({ offset: true }),
  owner: z.string().optional(),
});

/** The content of a lock file; undefined when it is missing or unreadable. */
async function readLock(path: string): Promise<z.infer<typeof lockSchema> | undefined> {
  try {
    return lockSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

async function ageMs(path: string): Promise<number | undefined> {
  const lock = await readLock(path);
  if (lock !== undefined) {
    return Date.now() - Date.parse(lock.updated);
  }
  try {
    // The file is incomplete because its owner is still writing it, or died while writing it.
    const file = await open(path, "r");
    try {
      return Date.now() - (await file.stat()).mtimeMs;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Removes a stale lock. When several processes try this, only one succeeds; a lock that was created meanwhile is
 * restored.
 */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  const age = await ageMs(aside);
  if (age !== undefined && age < staleMs) {
    await link(aside, path).catch(() => {});
  }
  await unlink(aside).catch(() => {});
}

function lockText(created: string, owner: string): string {
  return JSON.stringify({ created, updated: new Date().toISOString(), owner });
}

/** Creates a lock file. @returns false when the file exists */
async function create(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  }
}

/**
 * Waits until a lock is free, and creates its file. The holder updates the file until it releases the lock. If the
 * holder crashes, another process can therefore take the lock after ten seconds.
 * @returns a function that releases the lock
 * @throws errors of the file system; the reason of `signal`
 */
export async function lockFile(path: string, signal?: AbortSignal): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const owner = randomUUID();
  const created = new Date().toISOString();
  while (!(await create(path, lockText(created, owner)))) {
    const age = await ageMs(path);
    if (age === undefined) {
      continue;
    }
    if (age >= staleMs) {
      await removeStale(path);
      continue;
    }
    await wait(pollMs, undefined, signal === undefined ? {} : { signal });
  }
  const refresh = setInterval(() => {
    void (async () => {
      if ((await readLock(path))?.owner === owner) {
        await writeAtomically(path, lockText(created, owner));
      }
    })().catch(() => {});
  }, refreshMs);
  refresh.unref();
  return async () => {
    clearInterval(refresh);
    if ((await readLock(path))?.owner === owner) {
      await unlink(path).catch(() => {});
    }
  };
}
