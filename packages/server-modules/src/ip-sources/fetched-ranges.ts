import { createHash } from "node:crypto";
import { rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { openDispatcher } from "certificates/tls/open-dispatcher";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import { createPrivateFile } from "server-core/files/private-file";
import { readRegularFile } from "server-core/files/read-regular-file";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import { IpRanges } from "server-core/net/ip-ranges";
import { readWithin } from "server-core/net/read-within";

/** A larger list is refused, and the last one stays in use. */
const maxListBytes = 1024 * 1024;
/** More ranges are refused. Each look-up would take longer. */
const maxRanges = 20_000;
/** Milliseconds of one fetch. */
const defaultTimeoutMs = 30_000;
/** Milliseconds until a failed fetch is tried again, or the interval where that is shorter. */
const retryMs = 60_000;
/** How long the first config may wait for a list of which there is no copy. */
const firstWaitMs = 5_000;

/** Where a list of ranges comes from. */
export interface RangeList {
  /** In logs: `cloudflare`. */
  readonly name: string;
  /** All of them together are the list. */
  readonly urls: readonly string[];
  /** Milliseconds between two fetches. */
  readonly intervalMs: number;
  /** For one fetch of one URL; undefined: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** Whether a config fails that would begin without any list. */
  readonly isNeeded: boolean;
  /** @throws Error when the text is no list */
  parse(text: string): string[];
}

/** Lines of ranges; what follows `#` is a comment. */
export function rangesOfLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}

/** Fetches one list. It goes through no pool: fetches are hours apart. @throws Error for any status but 200 */
async function fetchText(url: string, timeoutMs: number): Promise<string> {
  const { request } = await import("undici"); // when it is needed: few configs fetch lists
  const dispatcher = await openDispatcher([], undefined);
  try {
    const { statusCode, body } = await request(url, { dispatcher, signal: AbortSignal.timeout(timeoutMs) });
    const text = (await readWithin(body, maxListBytes)).toString();
    if (statusCode !== 200) {
      throw new Error(`status ${statusCode}`);
    }
    return text;
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * A list of ranges that others publish, kept up to date. The last good copy lies in the data folder. A restart
 * begins with it, and other threads take it instead of fetching. A list that cannot be fetched or read leaves
 * the last one in use.
 * | At start | Then |
 * |---|---|
 * | a copy in the data folder | used immediately; the list is fetched in the background |
 * | no copy, list not needed | waits up to 5 s; without a list no address is in it |
 * | no copy, list needed | waits two time limits; without a list the config fails |
 */
export class FetchedRanges implements SharedResource {
  readonly #list: RangeList;
  readonly #file: string;
  readonly #log: Logger;
  /** The list in use. */
  #ranges = new IpRanges([]);
  /** True once a fetched list or a stored copy is in use. */
  #hasList = false;
  /** The next fetch. */
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(list: RangeList, folder: string, log: Logger) {
    const key = createHash("sha256").update(JSON.stringify(list.urls)).digest("hex");
    this.#list = list;
    this.#file = join(folder, "ip-lists", key);
    this.#log = log;
  }

  /** @throws ServerError MODULE_CONFIG when a list that is needed is not to be had */
  static async open(list: RangeList, dataFolder: string, log: Logger): Promise<FetchedRanges> {
    const ranges = new FetchedRanges(list, dataFolder, log);
    await ranges.#takeCopy();
    const first = ranges.#refresh();
    if (!ranges.#hasList) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, list.isNeeded ? 2 * (list.timeoutMs ?? defaultTimeoutMs) : firstWaitMs);
      });
      await Promise.race([first, late]);
      clearTimeout(timer);
    }
    if (!ranges.#hasList && list.isNeeded) {
      ranges.close();
      throw new ServerError(
        "MODULE_CONFIG",
        `${list.name}: the list cannot be fetched, and there is no copy of it`,
      );
    }
    return ranges;
  }

  contains(address: string): boolean {
    return this.#ranges.contains(address);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Takes a copy that another thread wrote meanwhile, or fetches the list. Never fails. */
  async #refresh(): Promise<void> {
    const { name, urls, intervalMs, timeoutMs = defaultTimeoutMs, parse } = this.#list;
    let nextMs = intervalMs;
    try {
      if (!(await this.#isCopyYoung()) || !(await this.#takeCopy())) {
        const texts = await Promise.all(urls.map((url) => fetchText(url, timeoutMs)));
        const ranges = texts.flatMap(parse);
        this.#use(ranges);
        await this.#keepCopy(ranges);
      }
    } catch (error) {
      nextMs = Math.min(retryMs, intervalMs);
      const what = this.#hasList ? "the last one goes on" : "no address is one of it yet";
      this.#log.warn(`ip source ${name}: the list cannot be fetched, ${what}: ${messageOf(error)}`);
    }
    if (!this.#isClosed) {
      // Threads that begin together do not all fetch: the first writes the copy that the others take.
      const spreadMs = nextMs * (1 + Math.random() / 10);
      this.#timer = setTimeout(() => void this.#refresh(), Math.min(spreadMs, 2 ** 31 - 1)).unref();
    }
  }

  /** @throws Error for a list that is empty, too long, or contains an invalid range; the old list stays */
  #use(ranges: readonly string[]): void {
    if (ranges.length === 0 || ranges.length > maxRanges) {
      throw new Error(`a list of ${ranges.length} ranges; 1 to ${maxRanges} are taken`);
    }
    this.#ranges = new IpRanges(ranges);
    this.#hasList = true;
  }

  /** Whether the copy is younger than half of the interval: then another thread has just fetched. */
  async #isCopyYoung(): Promise<boolean> {
    const { mtimeMs } = await stat(this.#file).catch(() => ({ mtimeMs: Number.NEGATIVE_INFINITY }));
    return Date.now() - mtimeMs < this.#list.intervalMs / 2;
  }

  /** @returns true when a valid copy was found */
  async #takeCopy(): Promise<boolean> {
    try {
      this.#use(rangesOfLines((await readRegularFile(this.#file, maxListBytes)).toString()));
      return true;
    } catch {
      return false;
    }
  }

  /** Writes the copy beside the old one and renames it, so that readers see a whole file. */
  async #keepCopy(ranges: readonly string[]): Promise<void> {
    const draft = `${this.#file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
    const file = await createPrivateFile(draft);
    try {
      await file.writeFile(`${ranges.join("\n")}\n`);
    } finally {
      await file.close();
    }
    await rename(draft, this.#file);
  }
}

/** Lists by URLs and times, shared by all configs of a thread that name the same. */
export const fetchedRanges: ResourceKind<FetchedRanges> = { name: "http.ip_sources" };
