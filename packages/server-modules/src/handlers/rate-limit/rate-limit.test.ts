import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let server: RunningServer;
const ok = { handler: "static_response", body: "ok" };

const config = siteConfig(
  {
    match: [{ path: ["/key"] }],
    handle: [
      {
        handler: "rate_limit",
        rate_limits: { per_user: { key: "{http.request.header.X-User}", window: "1h", max_events: 2 } },
      },
      ok,
    ],
  },
  {
    match: [{ path: ["/match"] }],
    handle: [
      {
        handler: "rate_limit",
        rate_limits: { posts: { match: [{ method: ["POST"] }], window: "30m", max_events: 1 } },
      },
      ok,
    ],
  },
);

beforeAll(async () => {
  server = await RunningServer.start(config);
});

afterAll(() => server.close());

test("each key has its own quota, and is told of it", async () => {
  const get = (user: string) => ask(`${server.site}/key`, { headers: { "X-User": user } });
  const [first, second, third] = [await get("a"), await get("a"), await get("a")];
  expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
  expect(first.headers["ratelimit-policy"]).toBe('"per_user";q=2;w=3600');
  expect(first.headers.ratelimit).toMatch(/^"per_user";r=1;t=\d+$/);
  expect(third.headers.ratelimit).toMatch(/^"per_user";r=0;t=\d+$/);
  expect(Number(third.headers["retry-after"])).toBeGreaterThan(1000);
  expect((await get("b")).status).toBe(200);
});

test("the count outlives a reload", async () => {
  const get = () => ask(`${server.site}/key`, { headers: { "X-User": "c" } });
  expect([(await get()).status, (await get()).status]).toEqual([200, 200]);
  expect((await server.admin("POST", "/load", config, { "Cache-Control": "must-revalidate" })).status).toBe(
    200,
  );
  expect((await get()).status).toBe(429);
});

test("only requests that match are counted", async () => {
  const send = (method: string) => ask(`${server.site}/match`, { method });
  expect([(await send("GET")).status, (await send("POST")).status]).toEqual([200, 200]);
  expect([(await send("POST")).status, (await send("GET")).status]).toEqual([429, 200]);
});

test.each([
  [{ z: { window: "0s", max_events: 1 } }, "window must be longer"],
  [{ z: { window: "1s", max_events: 0 } }, "max_events"],
  [{ 'a"b': { window: "1s", max_events: 1 } }, "rate_limits"],
  [{ z: { window: "1s", max_events: 1, match: [{ nope: 1 }] } }, "rate limit zone 'z': unknown module"],
])("%j is refused", async (rate_limits, message) => {
  await expect(provisionHandler("rate_limit", { rate_limits })).rejects.toThrow(message);
});
