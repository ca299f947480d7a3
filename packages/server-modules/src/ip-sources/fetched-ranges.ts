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

/** Maximum number of bytes of a list. A larger list is refused, and the previous list stays in use. */
const maxListBytes = 1024 * 1024;
/** Maximum number of ranges in a list. A longer list is refused, because each lookup would take longer. */
const maxRanges = 20_000;
/** Default timeout of one fetch, in milliseconds. */
const defaultTimeoutMs = 30_000;
/** Milliseconds until a failed fetch is repeated, unless the interval is shorter. */
const retryMs = 60_000;
/** Milliseconds that the first config waits for a list without a stored copy. */
const firstWaitMs = 5_000;

/** Source of a list of ranges. */
export interface RangeList {
  /** Name for the log: `cloudflare`. */
  readonly name: string;
  /** URLs whose contents together form the list. */
  readonly urls: readonly string[];
  /** Milliseconds between two fetches. */
  readonly intervalMs: number;
  /** Timeout of one URL in milliseconds. Default: 30 seconds. */
  readonly timeoutMs?: number | undefined;
  /** True when the config fails without any list. */
  readonly isNeeded: boolean;
  /** @throws Error for text that is no list */
  parse(text: string): string[];
}

/** Parses lines of ranges. Text after `#` is a comment. */
export function rangesOfLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}

/**
 * Fetches one URL. No connection pool is used, because fetches are hours apart. @throws Error for any status but 200
 */
async function fetchText(url: string, timeoutMs: number): Promise<string> {
  const { request } = await import("undici"); // loaded on demand, because few configs fetch lists
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
 * A published list of ranges, kept up to date. The last valid copy is stored in the data folder. A restart uses the
 * copy, and other threads read it instead of fetching. If a list cannot be fetched or parsed, the previous list stays
 * in use.
 * | At start | Then |
 * |---|---|
 * | a copy in the data folder | used immediately; the list is fetched in the background |
 * | no copy, list not needed | waits up to 5 s; then starts with an empty list |
 * | no copy, list needed | waits two timeouts; without a list the config fails |
 */
export class FetchedRanges implements SharedResource {
  readonly #list: RangeList;
  readonly #file: string;
  readonly #log: Logger;
  /** The list in use. */
  #ranges = new IpRanges([]);
  /** True once a fetched list or a stored copy is in use. */
  #hasList = false;
  /** Timer of the next fetch. */
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(list: RangeList, folder: string, log: Logger) {
    const key = createHash("sha256").update(JSON.stringify(list.urls)).digest("hex");
    this.#list = list;
    this.#file = join(folder, "ip-lists", key);
    this.#log = log;
  }

  /** @throws ServerError MODULE_CONFIG when a needed list is not available */
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

  /** Reads a copy that another thread wrote meanwhile, or fetches the list. Never rejects. */
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
      // Spreads the fetches of threads: the first one writes the copy that the others read.
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

  /** True when the copy is younger than half the interval, so another thread has just fetched it. */
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

  /** Writes a temporary file and renames it, so readers always see a complete file. */
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

/** Lists by URLs and times, shared by all equal configs of a thread. */
export const fetchedRanges: ResourceKind<FetchedRanges> = { name: "http.ip_sources" };
