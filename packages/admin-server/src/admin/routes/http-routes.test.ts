import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer } from "../../testing/running-server.ts";

interface Entry {
  at: string;
  requests_per_second: number | null;
  errors_per_second: number | null;
  timed: number;
  p95_ms: number | null;
  [name: string]: unknown;
}

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start({});
});
afterAll(() => running.close());

const answer = (body: string) => ({ handler: "static_response", body });
const load = (settings: object) =>
  running.admin("POST", "/load", {
    apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], ...settings } } } },
  });

async function list(query = ""): Promise<{ entries: Entry[]; total: string }> {
  const { text, headers } = await running.admin("GET", `/http/routes${query}`);
  return { entries: JSON.parse(text) as Entry[], total: String(headers["x-total-count"]) };
}

test("a route inside others has their hosts, paths, matchers and handlers", async () => {
  await load({
    routes: [
      {
        match: [{ host: ["a.example", "b.example"], method: ["GET"] }],
        handle: [
          { handler: "headers" },
          {
            handler: "subroute",
            routes: [
              {
                match: [{ path: ["/api/*"] }],
                handle: [{ handler: "reverse_proxy", upstreams: [{ dial: "127.0.0.1:9" }] }],
              },
              { handle: [{ handler: "static_response", status_code: 404 }] },
            ],
            errors: { routes: [{ handle: [answer("sorry")] }] },
          },
        ],
        terminal: true,
      },
      { match: [{ host: ["c.example"] }, { path: ["/x"] }], handle: [answer("")] },
    ],
    errors: { routes: [{ handle: [answer("oh")] }] },
    named_routes: { "n/1": { handle: [answer("named")] } },
  });
  const { entries, total } = await list();
  expect(total).toBe("6");
  const seen = entries.map(({ at, kind, hosts, paths, matchers, handlers, upstreams }) => [
    at.replace("/apps/http/servers/s", ""),
    ...[kind, hosts, paths, matchers, handlers, upstreams],
  ]);
  const [ab, get] = [["a.example", "b.example"], ["method GET"]];
  expect(seen).toEqual([
    ["/routes/0/handle/1/routes/0", "", ab, ["/api/*"], get, ["headers", "reverse_proxy"], ["127.0.0.1:9"]],
    ["/routes/0/handle/1/routes/1", "", ab, [], get, ["headers", "static_response 404"], []],
    ["/routes/0/handle/1/errors/routes/0", "errors", ab, [], get, ["headers", "static_response"], []],
    ["/routes/1", "", [], [], [], ["static_response"], []],
    ["/errors/routes/0", "errors", [], [], [], ["static_response"], []],
    ["/named_routes/n~11", "n/1", [], [], [], ["static_response"], []],
  ]);
});

test("requests, errors and times are of the route that took them; few have no percentile", async () => {
  await load({
    routes: [
      {
        match: [{ path: ["/in/*"] }],
        handle: [{ handler: "subroute", routes: [{ match: [{ path: ["/in/a"] }], handle: [answer("a")] }] }],
      },
      { match: [{ path: ["/bad"] }], handle: [{ handler: "error", status_code: 502 }] },
      { handle: [answer("rest")] },
    ],
    errors: { routes: [{ handle: [answer("oh")] }] },
  });
  expect((await list()).entries.map((entry) => entry.requests_per_second)).toEqual(
    // Another test may have sent the very first request.
    expect.arrayContaining([expect.toBeOneOf([null, 0])]),
  );
  for (const path of [...Array<string>(25).fill("/in/a"), "/in/b", "/bad"]) {
    await ask(`${running.site}${path}`);
  }
  await expect
    .poll(async () => (await list("?order=rate")).entries.map(({ timed }) => timed), { timeout: 60_000 })
    .toEqual([25, 1, 1, 0]);
  const [most, ...others] = (await list("?order=rate")).entries;
  expect(most?.at).toMatch(/routes\/0\/handle\/0\/routes\/0$/);
  expect(most?.p95_ms).toBeGreaterThan(0);
  expect(most?.p95_ms).toBeLessThan(10_000);
  expect(others.map(({ p95_ms }) => p95_ms)).toEqual([null, null, null]);
  const [failing] = (await list("?order=errors")).entries;
  expect(failing).toMatchObject({ paths: ["/bad"], errors_per_second: failing?.requests_per_second });
});

test("a reload goes on counting what it does not change, and begins anew with what it does", async () => {
  const kept = { match: [{ path: ["/kept"] }], handle: [answer("kept")] };
  const changed = (body: string) => ({ match: [{ path: ["/other"] }], handle: [answer(body)] });
  await load({ routes: [kept, changed("1")] });
  const timed = async () => (await list()).entries.map((entry) => entry.timed);
  await list();
  for (const path of ["/kept", "/kept", "/other"]) {
    await ask(`${running.site}${path}`);
  }
  await expect.poll(timed, { timeout: 60_000 }).toEqual([2, 1]);
  await load({ routes: [kept, changed("2")] });
  await ask(`${running.site}/kept`);
  await expect.poll(timed, { timeout: 60_000 }).toEqual([3, 0]);
});

test("a route tells how many of its upstreams fail a check", async () => {
  const proxy = (uri: string | undefined) => ({
    handler: "reverse_proxy",
    upstreams: [{ dial: "127.0.0.1:9" }],
    ...(uri === undefined ? {} : { health_checks: { active: { uri, interval: "50ms", timeout: "1s" } } }),
  });
  await load({ routes: [{ handle: [proxy("/")] }, { handle: [answer("")] }] });
  await expect
    .poll(async () => (await list()).entries.map((entry) => entry.unhealthy_upstreams), { timeout: 60_000 })
    .toEqual([1, 0]);
  await load({ routes: [{ handle: [proxy(undefined)] }] });
  await expect
    .poll(async () => (await list()).entries.map((entry) => entry.unhealthy_upstreams), { timeout: 60_000 })
    .toEqual([0]);
});

test.each([1, 101, 1_500])("%d routes are paged, filtered and ordered", async (count) => {
  const routes = Array.from({ length: count }, (_, index) => ({
    match: [{ host: [`h${index}.example`] }],
    handle: [answer("")],
  }));
  await load({ routes });
  const { entries, total } = await list("?limit=100&order=host");
  expect([total, entries.length]).toEqual([String(count), Math.min(count, 100)]);
  expect(entries.at(-1)?.hosts).toEqual([`h${Math.min(count, 100) - 1}.example`]);
  const last = await list(`?limit=100&offset=${count - 1}&order=host`);
  expect(last.entries.map(({ hosts }) => hosts)).toEqual([[`h${count - 1}.example`]]);
  const found = await list(`?contains=H${count - 1}.EX`);
  expect(found.entries.map(({ at }) => at)).toEqual([`/apps/http/servers/s/routes/${count - 1}`]);
  expect((await running.admin("GET", "/http/routes?order=size")).status).toBe(400);
});
