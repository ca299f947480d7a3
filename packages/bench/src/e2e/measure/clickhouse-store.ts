import type { DiskUsage, SpanStore } from "./span-store.ts";

const timeoutMs = 120_000;

/** The tables of our store, which are read over ClickHouse's HTTP protocol. */
export class ClickhouseStore implements SpanStore {
  readonly #url: URL;

  /** @param url base address, which may contain user and password */
  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** 0 while there is no such table, because the collector creates it. */
  async countSpans(): Promise<number> {
    const exists = await this.#numbers(
      "SELECT count() FROM system.tables WHERE database = 'tracing' AND name = 'spans'",
    );
    if (exists[0] !== 1) {
      return 0;
    }
    const [count = 0] = await this.#numbers("SELECT count() FROM tracing.spans");
    return count;
  }

  async diskUsage(): Promise<DiskUsage> {
    const [spans = 0, spanBytes = 0, allBytes = 0] = await this.#numbers(
      "SELECT sumIf(rows, table = 'spans'), sumIf(bytes_on_disk, table = 'spans'), sum(bytes_on_disk) " +
        "FROM system.parts WHERE active AND database = 'tracing'",
    );
    return { spans, spanBytes, allBytes };
  }

  async optimize(): Promise<void> {
    await this.#ask("OPTIMIZE TABLE tracing.spans FINAL");
  }

  /** Asks the store for one row, and returns its columns. */
  async #numbers(sql: string): Promise<number[]> {
    const text = await this.#ask(`${sql} FORMAT TSV`);
    return text.trim().split("\t").map(Number);
  }

  async #ask(sql: string): Promise<string> {
    const url = new URL(this.#url);
    const authorization = Buffer.from(
      `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`,
    );
    const headers = url.username === "" ? {} : { authorization: `Basic ${authorization.toString("base64")}` };
    url.username = url.password = "";
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { method: "POST", headers, body: sql, signal }).catch(
      (cause: unknown) => {
        throw new Error(`the store at ${url.origin} does not answer`, { cause });
      },
    );
    const text = await answer.text();
    if (!answer.ok) {
      throw new Error(`the store answered ${answer.status} to "${sql}": ${text.trim()}`);
    }
    return text;
  }
}
