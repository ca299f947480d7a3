import { expect, test } from "vitest";
import { ask, askUntil, shareStorage } from "./running-storage.ts";

const storage = shareStorage("--storage.max-concurrent-queries=12", "--storage.max-waiting-queries=2");

const sleeping =
  "SELECT count() FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'";

/** A query that runs until it is cancelled. */
function startSlow(left: AbortSignal, queryId = "") {
  return fetch(`${storage.url}/?query_id=${queryId}`, {
    method: "POST",
    body: "SELECT sleepEachRow(0.1) FROM numbers(1000) SETTINGS max_block_size = 1",
    signal: left,
  });
}

test("ten slow queries run at once, hold nobody up, and end when their clients leave", async () => {
  const left = new AbortController();
  const slow = Array.from({ length: 10 }, () => startSlow(left.signal));
  await askUntil(storage.url, sleeping, "10");
  await ask(storage.url, "CREATE TABLE beside (a UInt8) ENGINE = MergeTree ORDER BY a");
  await ask(storage.url, "INSERT INTO beside FORMAT CSV\n1\n2\n");
  expect(await ask(storage.url, "SELECT sum(a) FROM beside")).toBe("3");
  left.abort();
  expect((await Promise.allSettled(slow)).map((result) => result.status)).toEqual(Array(10).fill("rejected"));
  await askUntil(storage.url, sleeping, "0");
});

test("KILL QUERY ends the query with the id its client gave", async () => {
  const slow = startSlow(new AbortController().signal, "kill-me");
  await askUntil(storage.url, sleeping, "1");
  expect(await ask(storage.url, "KILL QUERY WHERE query_id = 'kill-me' ASYNC")).toContain("sleepEachRow");
  const response = await slow;
  expect([response.status, response.headers.get("x-clickhouse-exception-code")]).toEqual([500, "394"]);
});

test("past the places and the queue a query is refused at once, with a hint to come again", async () => {
  const left = new AbortController();
  const slow = Array.from({ length: 11 }, () => startSlow(left.signal));
  await askUntil(storage.url, sleeping, "11");
  slow.push(...Array.from({ length: 3 }, () => startSlow(left.signal)));
  let refused: Response | undefined;
  while (refused === undefined) {
    const response = await fetch(storage.url, {
      method: "POST",
      body: "SELECT 1",
      signal: AbortSignal.timeout(500),
    }).catch(() => undefined);
    refused = response?.status === 503 ? response : undefined;
  }
  expect(refused.headers.get("x-clickhouse-exception-code")).toBe("202");
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(await refused.text()).toContain("12 run and 2 wait");
  left.abort();
  await Promise.allSettled(slow);
  await askUntil(storage.url, sleeping, "0");
});

test("keeps freed memory between inserts", async () => {
  const stats = await ask(storage.url, "SELECT * FROM system.jemalloc_stats FORMAT TSVRaw");
  expect(stats).toContain("opt.dirty_decay_ms: 15000");
});

test("a stop does not wait for a query that never ends", async () => {
  const slow = startSlow(new AbortController().signal);
  await askUntil(storage.url, sleeping, "1");
  expect(await storage.stop()).toBe(0);
  expect((await slow).headers.get("x-clickhouse-exception-code")).toBe("394");
});
