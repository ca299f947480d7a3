import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, createZstdCompress } from "node:zlib";
import { formatGoTime } from "../../go/go-time.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Rules for rotated files. */
export interface OldFileRules {
  /** Compression of rolled files. `none` keeps them as they were written. */
  readonly compression: "none" | "gzip" | "zstd";
  /** How many are kept. */
  readonly keep: number;
  /** Days after which a rolled file is removed. */
  readonly keepDays: number;
  /** Layout of the time in their names. */
  readonly timeFormat: string;
  /** Whether times in names are local instead of UTC. */
  readonly local: boolean;
}

/** `access.log` put aside is `access-2026-01-02T03-04-05.678-size.log`. */
export function oldFileName(path: string, time: Date, reason: string, rules: OldFileRules): string {
  const extension = extname(path);
  const bare = basename(path, extension);
  const stamp = formatGoTime(time, rules.timeFormat, rules.local ? -time.getTimezoneOffset() : 0);
  return join(dirname(path), `${bare}-${stamp.replaceAll("/", "-")}-${reason}${extension}`);
}

async function compress(path: string, compression: "gzip" | "zstd"): Promise<void> {
  const target = `${path}${compression === "gzip" ? ".gz" : ".zst"}`;
  const partial = `${target}.tmp`;
  const { mode } = await stat(path);
  try {
    await pipeline(
      createReadStream(path),
      compression === "gzip" ? createGzip() : createZstdCompress(),
      createWriteStream(partial, { mode: mode & 0o777 }),
    );
    await rename(partial, target);
    await unlink(path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Files put aside, newest first. */
async function oldFiles(path: string): Promise<{ path: string; timeMs: number }[]> {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  const pattern = /-(?:size|time)(?:\.gz|\.zst)?$/;
  const names = (await readdir(dirname(path))).filter(
    (name) => name.startsWith(prefix) && pattern.test(name.replace(extension, "")),
  );
  const found = await Promise.all(
    names.map(async (name) => {
      const each = join(dirname(path), name);
      return { path: each, timeMs: (await stat(each)).mtimeMs };
    }),
  );
  return found.sort((a, b) => b.timeMs - a.timeMs || (a.path < b.path ? 1 : -1));
}

/** Compresses the file that was just put aside, and removes those that are too many or too old. */
export async function tidyOldFiles(path: string, newest: string, rules: OldFileRules): Promise<void> {
  if (rules.compression !== "none") {
    await compress(newest, rules.compression);
  }
  const oldest = Date.now() - rules.keepDays * dayMs;
  for (const [index, file] of (await oldFiles(path)).entries()) {
    if (index >= rules.keep || file.timeMs < oldest) {
      await rm(file.path, { force: true });
    }
  }
}
