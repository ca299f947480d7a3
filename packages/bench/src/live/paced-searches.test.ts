import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { measureFreshness } from "./freshness.ts";
import { pacedSearches } from "./paced-searches.ts";
import { RecentTraces } from "./recent-traces.ts";

/** A query API that answers each path with a status and a number of traces. */
async function openApi(answer: (path: string) => readonly [status: number, traces: number]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const [status, traces] = answer(path);
    response.writeHead(status).end(JSON.stringify({ data: Array.from({ length: traces }, () => ({})) }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close() };
}

test("every kind is asked at its pace; what finds nothing and what fails is counted apart", async () => {
  const api = await openApi((path) => (path === "/bad" ? [500, 0] : [200, path === "/none" ? 0 : 3]));
  const end = new AbortController();
  const kinds = ["/found", "/none", "/bad"].map((path) => ({ name: path, path: () => path }));
  const searching = pacedSearches(api.url, kinds, 30, end.signal);
  while (api.asked.filter((path) => path === "/bad").length < 3) {
    await new Promise(setImmediate);
  }
  end.abort();
  const [found, none, bad] = await searching;
  api.close();
  expect(found).toMatchObject({ name: "/found", empty: 0, failed: 0, failure: "" });
  expect(found?.latencyMs.p50).toBeGreaterThan(0);
  expect(none?.empty).toBe(none?.asked);
  expect(none?.latencyMs).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 });
  expect(bad?.failed).toBe(bad?.asked);
  expect(bad?.failure).toContain("answered 500");
});

test("a fresh trace is looked for until it is found, from its acknowledgement on", async () => {
  let looks = 0;
  const api = await openApi(() => (++looks < 4 ? [404, 0] : [200, 1]));
  const traces = new RecentTraces(0);
  traces.note(() => "ab", performance.now() - 500);
  const end = new AbortController();
  const measuring = measureFreshness(api.url, traces, 60_000, end.signal);
  while (looks < 4) {
    await new Promise(setImmediate);
  }
  end.abort();
  const { probes, notFound, latencyMs } = await measuring;
  api.close();
  expect({ probes, notFound }).toEqual({ probes: 1, notFound: 0 });
  expect(latencyMs.p50).toBeGreaterThan(500);
  expect(new Set(api.asked)).toEqual(new Set(["/api/traces/ab"]));
});
