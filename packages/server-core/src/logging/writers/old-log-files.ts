import { createReadStream, createWriteStream } from "node:fs";
import { readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, createZstdCompress } from "node:zlib";
import { formatGoTime } from "../../go/go-time.ts";

const dayMs = 24 * 60 * 60 * 1000;

/** Rules for rolled files. */
export interface OldFileRules {
  /** Compression of rolled files. `none` leaves them unchanged. */
  readonly compression: "none" | "gzip" | "zstd";
  /** Maximum number of rolled files. */
  readonly keep: number;
  /** Days after which a rolled file is removed. */
  readonly keepDays: number;
  /** Layout of the time in names of rolled files. */
  readonly timeFormat: string;
  /** True: times in names are local. False: UTC. */
  readonly local: boolean;
}

/** Name of a rolled file: `access.log` becomes `access-2026-01-02T03-04-05.678-size.log`. */
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

/** Rolled files, newest first. */
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

/** Compresses the file that was just rolled, and removes rolled files above the limits of number or age. */
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
