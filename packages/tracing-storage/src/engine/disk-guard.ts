import { statfs } from "node:fs/promises";
import { engineError } from "./engine-error.ts";

export interface DiskGuardSettings {
  /** A folder on the disk that is watched. */
  readonly folder: string;
  /** Below this, nothing more is taken; 0 never refuses. */
  readonly minFreeBytes: number;
  /** Called at every change, with a sentence for people. */
  readonly onChange: (isFull: boolean, text: string) => void;
  /** Bytes free for us; the disk itself by default. */
  readonly readFreeBytes?: () => Promise<number>;
}

/** Taken again only when there is this much more room than the limit: otherwise each merge would open and shut the door. */
const recoveryFactor = 1.1;

const watchMs = 1_000;

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Refuses rows before the disk is full: an engine that finds no room in the middle of a merge or of its own metadata
 * is worse off than a sender that is told to wait. What makes room is never refused.
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

  /** Looks at the disk now and then, so that the process says of itself that there is room again. */
  watch(): void {
    this.#timer ??= setInterval(() => {
      this.look().catch(() => {});
    }, watchMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Looks at the disk. @returns whether rows are refused */
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
