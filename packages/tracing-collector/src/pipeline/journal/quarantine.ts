import { readdir, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "lifecycle";
import { segmentSuffix } from "./open-segment.ts";
import { quarantineFolder } from "./sealed-segment.ts";

export interface QuarantineLimits {
  /** Milliseconds since a file's last write after which it is dropped; 0: never. */
  readonly maxAgeMs: number;
  /** Maximum number of bytes of copies of damaged segments; the oldest are dropped first. */
  readonly maxCopyBytes: number;
}

export const defaultQuarantineLimits: QuarantineLimits = {
  maxAgeMs: 30 * 86_400_000,
  maxCopyBytes: 256 * 1024 * 1024,
};

/** `age`: older than `maxAgeMs`. `size`: the copies were more than `maxCopyBytes`. */
export type DropReason = "age" | "size";

export interface QuarantinedFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Time of its last write, milliseconds since the Unix epoch; the oldest file is dropped first. */
  readonly writtenUnixMs: number;
  /**
   * `refused`: a whole segment, which the next start of a collector tries again. `copy`: a damaged segment or
   * its torn end; the store has the undamaged rest.
   */
  readonly kind: "refused" | "copy";
}

/** The files in quarantine, oldest first. @param folder folder of the journal @throws the file system's error */
export async function quarantinedFiles(folder: string): Promise<QuarantinedFile[]> {
  const quarantine = join(folder, quarantineFolder);
  const names = await readdir(quarantine).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return [];
    }
    throw error;
  });
  const files: QuarantinedFile[] = [];
  for (const name of names) {
    const path = join(quarantine, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isFile() === true) {
      const kind = name.endsWith(segmentSuffix) ? "refused" : "copy";
      files.push({ name, path, bytes: facts.size, writtenUnixMs: facts.mtimeMs, kind });
    }
  }
  return files.sort((one, other) => one.writtenUnixMs - other.writtenUnixMs);
}

interface QuarantineParts {
  /** The journal's folder. */
  readonly folder: string;
  readonly limits: QuarantineLimits;
  /** Log for files that are dropped. */
  readonly log: Logger;
  /** Called for each file that is dropped, with the reason. */
  dropped?(reason: DropReason): void;
  /** Clock. Default: the system's. */
  readonly now?: () => number;
}

/**
 * Limits what a journal keeps for people to look at, so that damage never fills the disk. Refused segments hold
 * acknowledged spans: they count against the journal's limit, and are dropped only when they are too old. Copies of
 * damaged segments have a limit of their own.
 */
export class Quarantine {
  readonly #parts: QuarantineParts;
  #files: readonly QuarantinedFile[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(parts: QuarantineParts) {
    this.#parts = parts;
  }

  get files(): number {
    return this.#files.length;
  }

  get bytes(): number {
    return bytesOf(this.#files);
  }

  /** Bytes of segments that the store refused. */
  get refusedBytes(): number {
    return bytesOf(this.#files.filter(({ kind }) => kind === "refused"));
  }

  /** Looks at the folder and drops what is over the limits. Never throws: a fault is logged. */
  look(): Promise<void> {
    this.#running = this.#running
      .then(() => this.#look())
      .catch((err: unknown) =>
        this.#parts.log.error({ err }, "the journal's quarantine cannot be looked through"),
      );
    return this.#running;
  }

  async #look(): Promise<void> {
    const { folder, limits, now = Date.now } = this.#parts;
    const kept: QuarantinedFile[] = [];
    const oldestUnixMs = limits.maxAgeMs === 0 ? 0 : now() - limits.maxAgeMs;
    const all = await quarantinedFiles(folder);
    let copyBytes = bytesOf(all.filter(({ kind }) => kind === "copy"));
    for (const file of all) {
      const isOld = file.writtenUnixMs < oldestUnixMs;
      const isTooMuch = file.kind === "copy" && copyBytes > limits.maxCopyBytes;
      if (isOld || isTooMuch) {
        await this.#drop(file, isOld ? "age" : "size");
        copyBytes -= file.kind === "copy" ? file.bytes : 0;
      } else {
        kept.push(file);
      }
    }
    this.#files = kept;
  }

  async #drop({ path, bytes, kind, writtenUnixMs }: QuarantinedFile, reason: DropReason): Promise<void> {
    await unlink(path);
    const { log, dropped } = this.#parts;
    dropped?.(reason);
    const facts = { file: path, bytes, written: new Date(writtenUnixMs).toISOString(), reason };
    if (kind === "refused") {
      log.error(facts, "a segment that storage refused was too long in quarantine: its spans are dropped");
    } else {
      log.warn(facts, "a copy of a damaged segment of the journal is dropped");
    }
  }
}

function bytesOf(files: readonly QuarantinedFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
