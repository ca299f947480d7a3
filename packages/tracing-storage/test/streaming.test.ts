import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { describe, expect, test } from "vitest";
import { decompressBlocks } from "../src/compression/compressed-blocks.ts";
import { ask, askUntil, makeFolder, removeFolder, shareStorage, startStorage } from "./running-storage.ts";

const storage = shareStorage(
  "--storage.max-result-bytes=2GB",
  "--storage.http.send-timeout=1s",
  "--storage.max-query-memory=300MB",
);

interface Answer {
  readonly body: Buffer;
  readonly headers: NodeJS.Dict<string | string[]>;
  /** The connection was cut before the end. */
  readonly isCut: boolean;
}

async function post(
  sql: string,
  search: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const path = `/?${new URLSearchParams(search)}`;
    const sent = request(storage.url + path, { method: "POST", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => {});
      response.on("close", () =>
        resolve({ body: Buffer.concat(chunks), headers: response.headers, isCut: !response.complete }),
      );
    });
    sent.on("error", reject);
    sent.end(sql);
  });
}

const running = (id: string) =>
  `SELECT count() FROM system.processes WHERE Settings['log_comment'] = '${id}'`;

async function* whole(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

async function unblocked(body: Buffer): Promise<Buffer> {
  const data: Buffer[] = [];
  for await (const chunk of decompressBlocks(whole(body))) {
    data.push(chunk);
  }
  return Buffer.concat(data);
}

describe("a long result", () => {
  const sql = "SELECT number, 'row ' || number AS text FROM numbers(300000)";

  test.each([
    "JSON",
    "Parquet",
    "Native",
    "CSVWithNames",
    "RowBinaryWithNamesAndTypes",
    "Arrow",
    "JSONCompactEachRowWithNamesAndTypes",
  ])("is the same document sent as it is made, and made before it is sent: %s", async (format) => {
    const search = {
      default_format: format,
      output_format_parquet_parallel_encoding: "0",
      output_format_write_statistics: "0",
      max_threads: "1",
    };
    const streamed = await post(sql, search);
    const held = await post(sql, { ...search, wait_end_of_query: "1" });
    expect(streamed.isCut).toBe(false);
    expect(streamed.headers["content-length"]).toBeUndefined();
    expect(held.headers["content-length"]).toBe(String(held.body.length));
    expect(streamed.body.length).toBeGreaterThan(1024 * 1024);
    expect(streamed.body.equals(held.body)).toBe(true);
  });

  test.each([
    ["gzip", gunzipSync],
    ["zstd", zstdDecompressSync],
    ["br", brotliDecompressSync],
    ["deflate", inflateSync],
  ])("is compressed as %s", async (encoding, decompress) => {
    const plain = await post(sql);
    const packed = await post(sql, {}, { "Accept-Encoding": encoding });
    expect(packed.headers["content-encoding"]).toBe(encoding);
    expect(packed.body.length).toBeLessThan(plain.body.length);
    expect(decompress(packed.body).equals(plain.body)).toBe(true);
  });

  test("comes in ClickHouse's own blocks with compress=1, as a short one does", async () => {
    const plain = await post(sql);
    const packed = await post(sql, { compress: "1" }, { "Accept-Encoding": "gzip" });
    expect(packed.headers["content-encoding"]).toBeUndefined();
    expect((await unblocked(packed.body)).equals(plain.body)).toBe(true);
    expect((await unblocked((await post("SELECT 1", { compress: "1" })).body)).toString()).toBe("1\n");
  });

  test("of 400 MB needs no such memory, and does not end before its reader", {
    timeout: 180_000,
  }, async () => {
    const rss = async () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${storage.process.pid}/status`, "utf8"))?.[1]);
    await post("SELECT number FROM numbers(5000000) FORMAT RowBinary");
    const before = await rss();
    let most = 0;
    const watch = setInterval(async () => {
      most = Math.max(most, await rss());
    }, 20);
    const { body, isCut } = await post("SELECT number FROM numbers(50000000) FORMAT RowBinary");
    clearInterval(watch);
    expect([body.length, isCut]).toEqual([400_000_000, false]);
    expect(most - before).toBeLessThan(200_000);
  });

  test("that fails on its way is cut, and says why in the body, as the official client reads it", async () => {
    const failing = "SELECT throwIf(number = 3000000, 'not that one'), number FROM numbers(4000000)";
    const { headers, body, isCut } = await post(`${failing} FORMAT JSONEachRow`);
    const tag = String(headers["x-clickhouse-exception-tag"]);
    expect(isCut).toBe(true);
    const tail = body.subarray(-1000).toString();
    expect(tail).toMatch(
      /\r\n__exception__\r\n.*Code: 395\. .*not that one.*\(FUNCTION_THROW_IF_VALUE_IS_NON_ZERO\)/s,
    );
    expect(tail.endsWith(` ${tag}\r\n__exception__\r\n`)).toBe(true);
    expect(tail).not.toContain(storage.folder);

    const client = createClient({ url: storage.url, log: { level: ClickHouseLogLevel.OFF } });
    const rows = await client.query({ query: failing, format: "JSONEachRow" });
    const reading = async () => {
      for await (const _ of rows.stream()) {
      }
    };
    await expect(reading()).rejects.toThrow(/not that one/);
    await client.close();
  });

  test("ends when its reader leaves, and when its reader takes nothing", async () => {
    const endless = "SELECT number FROM numbers(100000000000) FORMAT RowBinary";
    const left = new AbortController();
    const first = await fetch(`${storage.url}/?query_id=left`, {
      method: "POST",
      body: endless,
      signal: left.signal,
    });
    const reader = first.body?.getReader();
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
    expect(await ask(storage.url, running("left"))).toBe("1");
    left.abort();
    await askUntil(storage.url, running("left"), "0");

    const idle = request(`${storage.url}/?query_id=idle`, { method: "POST" });
    idle.on("error", () => {});
    const answered = new Promise<void>((resolve) => {
      idle.on("response", (response) => {
        response.pause();
        resolve();
      });
    });
    idle.end(endless);
    await answered;
    // The query ends a second after its answer began, so a slow machine may not see it run.
    await askUntil(storage.url, running("idle"), "0");
    idle.destroy();
  });
});

test("a question of which only the head is asked for leaves no query behind, and its session is free", async () => {
  const query = "SELECT number FROM numbers(100000000000) FORMAT RowBinary";
  const heads = Array.from({ length: 12 }, async (_, index) => {
    const session = `${storage.url}/?session_id=head-${index}`;
    const answered = await fetch(`${session}&${new URLSearchParams({ query })}`, { method: "HEAD" });
    expect([answered.status, answered.headers.get("content-length")]).toEqual([200, null]);
    const inSession = async () => await (await fetch(session, { method: "POST", body: "SELECT 1" })).text();
    await expect.poll(inSession, { timeout: 60_000 }).toBe("1\n");
  });
  await Promise.all(heads);
  await askUntil(storage.url, "SELECT count() FROM system.processes WHERE query LIKE '%numbers(1000%'", "1");
});

test("a stop does not wait for a client that takes nothing of its result", { timeout: 180_000 }, async () => {
  const path = await makeFolder();
  const stopping = await startStorage(path);
  const idle = request(`${stopping.url}/?query_id=idle`, { method: "POST" }, (response) => response.pause());
  idle.on("error", () => {});
  idle.end("SELECT number FROM numbers(100000000000) FORMAT RowBinary");
  await askUntil(stopping.url, running("idle"), "1");
  expect(await stopping.stop()).toBe(0);
  idle.destroy();
  await removeFolder(path);
});

test("a query that would take all memory is refused alone", async () => {
  const greedy = "SELECT count() FROM (SELECT DISTINCT randomString(100) FROM numbers(50000000))";
  const [refused, beside] = await Promise.all([
    post(greedy),
    post("SELECT sum(number) FROM numbers(1000000)"),
  ]);
  expect(refused.headers["x-clickhouse-exception-code"]).toBe("241");
  expect(beside.body.toString()).toBe("499999500000\n");
  expect(await ask(storage.url, "SELECT 1")).toBe("1");
});
