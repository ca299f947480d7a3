import { statfs } from "node:fs/promises";
import { engineError } from "../engine-error.ts";

export interface DiskGuardSettings {
  /** A folder on the disk to watch. */
  readonly folder: string;
  /** Free space in bytes below which rows are refused; 0: rows are never refused. */
  readonly minFreeBytes: number;
  /** Called at every change, with a sentence for users. */
  readonly onChange: (isFull: boolean, text: string) => void;
  /** Returns the free bytes of the disk. Default: asks the system. */
  readonly readFreeBytes?: () => Promise<number>;
}

/**
 * Rows are accepted again when the free space is this factor times the limit. Without this factor, each merge would
 * change the state.
 */
const recoveryFactor = 1.1;

const watchMs = 1_000;

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Refuses rows before the disk is full. If the engine had no space during a merge, or while it writes metadata, the
 * damage would be worse than a sender that must wait. Statements that free space are never refused.
 */
export class DiskGuard {
  readonly #settings: DiskGuardSettings;
  #isFull = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: DiskGuardSettings) {
    this.#settings = settings;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Checks the disk at intervals, so that free space is noticed without an insert. */
  watch(): void {
    this.#timer ??= setInterval(() => {
      this.look().catch(() => {});
    }, watchMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Reads the free space. @returns true when rows are refused */
  async look(): Promise<boolean> {
    const { folder, minFreeBytes, onChange, readFreeBytes } = this.#settings;
    const free = await (readFreeBytes ?? (() => freeBytesOf(folder)))();
    const wasFull = this.#isFull;
    this.#isFull = minFreeBytes > 0 && free < (wasFull ? minFreeBytes * recoveryFactor : minFreeBytes);
    if (this.#isFull !== wasFull) {
      onChange(this.#isFull, this.#text(free));
    }
    return this.#isFull;
  }

  /** @throws EngineError NOT_ENOUGH_SPACE when rows are refused */
  async check(): Promise<void> {
    if (await this.look()) {
      throw engineError(
        "NOT_ENOUGH_SPACE",
        `the disk of the data folder has less than ${this.#settings.minFreeBytes} bytes left ` +
          "(--storage.min-free-bytes): rows are refused until there is room",
      );
    }
  }

  #text(free: number): string {
    const { folder, minFreeBytes } = this.#settings;
    return this.#isFull
      ? `${free} bytes free on the disk of ${folder}, less than --storage.min-free-bytes ${minFreeBytes}: rows are refused`
      : `${free} bytes free on the disk of ${folder}: rows are taken again`;
  }
}
