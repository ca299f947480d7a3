import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";

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

test("jitter lengthens Retry-After, by its share at most", async () => {
  const handler = {
    handler: "rate_limit",
    jitter: 1,
    log_key: true,
    rate_limits: { jittered: { window: "1h", max_events: 1 } },
  };
  expect((await server.admin("POST", "/load", siteConfig({ handle: [handler, ok] }))).status).toBe(200);
  await ask(server.site);
  const waits: number[] = [];
  for (let round = 0; round < 20; round++) {
    waits.push(Number((await ask(server.site)).headers["retry-after"]));
  }
  expect(Math.min(...waits)).toBeGreaterThan(3_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(7_200);
  expect(new Set(waits).size).toBeGreaterThan(5);
});

test("addresses of one network share a quota", async () => {
  const zone = {
    key: "{http.request.header.X-User}",
    window: "1h",
    max_events: 1,
    ipv4_prefix: 24,
    ipv6_prefix: 64,
  };
  const handler = { handler: "rate_limit", rate_limits: { networks: zone } };
  expect((await server.admin("POST", "/load", siteConfig({ handle: [handler, ok] }))).status).toBe(200);
  const statuses: number[] = [];
  for (const user of [
    "192.0.2.1",
    "192.0.2.200",
    "192.0.3.1",
    "2001:db8::1",
    "2001:db8::2:1",
    "2001:db8:0:1::1",
    "ann",
  ]) {
    statuses.push((await ask(server.site, { headers: { "X-User": user } })).status);
  }
  expect(statuses).toEqual([200, 429, 200, 200, 429, 200, 200]);
  const { error } = await server.admin(
    "POST",
    "/validate",
    siteConfig({
      handle: [{ ...handler, rate_limits: { networks: { ...zone, ipv4_prefix: 33 } } }],
    }),
  );
  expect(error).toContain("ipv4_prefix");
});

test("lines of the plug-in, there and back; what needs several servers is refused by name", async () => {
  const zone =
    "\t\tzone a {\n\t\t\twindow 1m\n\t\t\tevents 5\n\t\t\tipv4_prefix 24\n\t\t\tipv6_prefix 64\n\t\t}\n";
  const text = `:80 {\n\trate_limit {\n${zone}\t\tjitter 0.2\n\t\tsweep_interval 30s\n\t\tlog_key\n\t\tdisable_metrics\n\t}\n}\n`;
  const { result } = adaptServerfile(Buffer.from(text), {});
  expect(JSON.stringify(result)).toContain('"jitter":0.2');
  expect(await toServerfile(result)).toBe(text);
  const distributed = adaptServerfile(
    Buffer.from(`:80 {\n\trate_limit {\n${zone}\t\tdistributed {\n\t\t\tread_interval 5s\n\t\t}\n\t}\n}\n`),
    {},
  ).result;
  const { error } = await server.admin("POST", "/validate", distributed);
  expect(error).toContain("each server counts for itself");
  expect(() => adaptServerfile(Buffer.from(text.replace("0.2", "much")), {})).toThrow(
    "invalid jitter 'much'",
  );
});
