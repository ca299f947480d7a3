import { readdir, readlink } from "node:fs/promises";
import type { Logger } from "lifecycle";
import type { Engine } from "../engine/engine.ts";
import { EngineError } from "../engine-error.ts";
import { damagedBlockOf } from "./block-checksums.ts";
import { type PartName, partFileOf } from "./damaged-part.ts";
import type { PartQuarantine } from "./part-quarantine.ts";

/**
 * The engine's counter of blocks with a wrong checksum. The engine increases it before it searches for the flipped bit.
 */
const mismatches = "CompressedReadBufferChecksumDoesntMatch";

/** Time between two checks in milliseconds. A read that ends within this time is never checked. */
const defaultLookMs = 1_000;
/** Pause in milliseconds after a search without a result, because the next search reads the same files again. */
const restMs = 30_000;

/** Pattern for files that consist of blocks with checksums. */
const blockFile = /\.(bin|cmrk\d?|cidx)$/;

/**
 * The error of a read that was stopped because its damaged part was found and detached. A repeated read uses only the
 * other parts.
 */
export class ReadGivenUp extends EngineError {
  constructor() {
    super(
      40,
      "Code: 40. DB::Exception: a damaged part was found and set aside, try again. (CHECKSUM_DOESNT_MATCH)",
    );
  }
}

interface StuckReadsParts {
  readonly engine: Pick<Engine, "run">;
  readonly quarantine: Pick<PartQuarantine, "setAsideFile">;
  readonly log: Logger;
}

export interface StuckReadsSettings {
  readonly lookMs?: number;
  /** Returns the paths of the files that the engine has opened. Default: the open files of this process, on Linux. */
  readonly openFiles?: () => Promise<readonly string[]>;
}

interface WatchedRead {
  readonly tag: string;
  readonly sinceMs: number;
  giveUp(): void;
}

/**
 * Ends the wait for reads that met a damaged block. The engine searches for the flipped bit for up to minutes, which
 * cannot be stopped. Meanwhile, this class compares the files that the engine has opened with their checksums. The
 * damaged part is detached, and the read is repeated without it.
 */
export class StuckReads {
  readonly #parts: StuckReadsParts;
  readonly #lookMs: number;
  readonly #openFiles: () => Promise<readonly string[]>;
  readonly #reads = new Set<WatchedRead>();
  /** Statements that still run in the engine, although the damaged part was detached. */
  #settled: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #restUntilMs = 0;

  constructor(
    parts: StuckReadsParts,
    { lookMs = defaultLookMs, openFiles = openFilesOfProcess }: StuckReadsSettings = {},
  ) {
    this.#parts = parts;
    this.#lookMs = lookMs;
    this.#openFiles = openFiles;
  }

  /**
   * Calls `work`, which must run the statement with this tag.
   * @param work function whose signal is aborted when its result is no longer needed
   * @throws ReadGivenUp when the statement found damage that was detached meanwhile
   */
  async during<T>(tag: string, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const stuck = Promise.withResolvers<never>();
    const read: WatchedRead = {
      tag,
      sinceMs: performance.now(),
      giveUp: () => {
        stuck.reject(new ReadGivenUp());
        stop.abort();
      },
    };
    this.#reads.add(read);
    this.#timer ??= this.#next();
    try {
      return await Promise.race([stuck.promise, work(stop.signal)]);
    } finally {
      this.#reads.delete(read);
    }
  }

  #next(): NodeJS.Timeout {
    return setTimeout(() => void this.#look(), this.#lookMs).unref();
  }

  async #look(): Promise<void> {
    try {
      const now = performance.now();
      const isLong = [...this.#reads].some(({ sinceMs }) => now - sinceMs >= this.#lookMs);
      if (isLong && now >= this.#restUntilMs) {
        await this.#giveUpStuck();
      }
    } catch (error) {
      this.#parts.log.error({ err: error }, "files of slow reads cannot be compared with their checksums");
      this.#restUntilMs = performance.now() + restMs;
    } finally {
      this.#timer = this.#reads.size === 0 ? undefined : this.#next();
    }
  }

  async #giveUpStuck(): Promise<void> {
    const sql = `SELECT Settings['log_comment'] FROM system.processes WHERE ProfileEvents['${mismatches}'] > 0`;
    const { bytes } = await this.#parts.engine.run({ prepare: "", sql, format: "TSV", tag: "stuck-reads" });
    const met = new Set(bytes.toString().split("\n").filter(Boolean));
    this.#settled = this.#settled.intersection(met);
    // The client may have disconnected already. Its statement still runs, and points to damage that later reads would
    // also find.
    if (met.isSubsetOf(this.#settled)) {
      return;
    }
    if (!(await this.#setAsideDamage())) {
      this.#restUntilMs = performance.now() + restMs;
      return;
    }
    this.#settled = met;
    for (const read of this.#reads) {
      if (met.has(read.tag)) {
        read.giveUp();
      }
    }
  }

  /** @returns true when a part was detached */
  async #setAsideDamage(): Promise<boolean> {
    const files = new Map<string, PartName>();
    for (const path of await this.#openFiles()) {
      const file = blockFile.test(path) ? partFileOf(path) : undefined;
      if (file !== undefined) {
        files.set(path, file);
      }
    }
    let isAside = false;
    for (const [path, file] of files) {
      // The file may have been deleted together with its part.
      const at = await damagedBlockOf(path).catch(() => undefined);
      if (at !== undefined) {
        const reason = `the block at ${at} differs from its checksum: ${path}`;
        isAside = (await this.#parts.quarantine.setAsideFile(file, reason)) || isAside;
      }
    }
    return isAside;
  }
}

/** @returns an empty list on systems other than Linux */
async function openFilesOfProcess(): Promise<readonly string[]> {
  const names = await readdir("/proc/self/fd").catch(() => []);
  const paths = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  return [...new Set(paths)];
}
