import type { IncomingMessage, ServerResponse } from "node:http";
import { type AskOptions, ask } from "server-core/testing/ask";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { adaptServerfile, toServerfile } from "../../../../admin-server/src/testing/serverfile.ts";

let upstream: UpstreamServer;
let server: RunningServer;
let asked: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {};

beforeAll(async () => {
  upstream = await UpstreamServer.start((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  server = await RunningServer.start(
    siteConfig({
      handle: [
        { handler: "cache", max_object_bytes: 100_000 },
        { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] },
      ],
    }),
  );
});

afterAll(async () => {
  await server.close();
  await upstream.kill();
});

beforeEach(() => {
  asked = [];
});

let nextPath = 0;
/** Each test uses addresses that no other test uses. */
const path = () => `/${nextPath++}`;
const get = (target: string, headers: Record<string, string> = {}, more: AskOptions = {}) =>
  ask(`${server.site}${target}`, { headers, ...more });
const reply =
  (headers: Record<string, string>, body = "body", status = 200) =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

test("what is fresh is not asked for again", async () => {
  const target = path();
  answer = reply({ "Cache-Control": "max-age=60", Etag: '"a"', "X-Own": "1" });
  const first = await get(target);
  const second = await get(target);
  const head = await get(target, {}, { method: "HEAD" });
  expect([first.text, second.text, head.text, asked.length]).toEqual(["body", "body", "", 1]);
  expect(first.headers["cache-status"]).toBe("server; fwd=miss; stored");
  expect(second.headers["cache-status"]).toMatch(/^server; hit; ttl=\d+$/);
  expect(second.headers).toMatchObject({ etag: '"a"', "x-own": "1", "content-length": "4" });
  expect(Number(second.headers.age)).toBeLessThan(60);
  expect(head.headers["content-length"]).toBe("4");
  const unchanged = await get(target, { "If-None-Match": '"a"' });
  expect([unchanged.status, unchanged.text, asked.length]).toEqual([304, "", 1]);
});

test("what may not be kept is asked for each time", async () => {
  for (const headers of [
    {},
    { "Cache-Control": "no-store" },
    { "Cache-Control": "max-age=60", "Set-Cookie": "a=1" },
  ]) {
    const target = path();
    answer = reply(headers);
    asked = [];
    expect([(await get(target)).text, (await get(target)).text, asked.length]).toEqual(["body", "body", 2]);
  }
});

test("too large a body passes and is not kept", async () => {
  const target = path();
  const body = "x".repeat(100_001);
  answer = reply({ "Cache-Control": "max-age=60" }, body);
  expect([(await get(target)).text === body, (await get(target)).text === body, asked.length]).toEqual([
    true,
    true,
    2,
  ]);
});

test("a stale response is confirmed, with the origin's tag in place of the client's", async () => {
  const target = path();
  answer = reply({ "Cache-Control": "max-age=0", Etag: '"a"' });
  await get(target);
  answer = (request, response) => {
    expect(request.headers["if-none-match"]).toBe('"a"');
    response.writeHead(304, { "Cache-Control": "max-age=60", "X-New": "1" }).end();
  };
  const confirmed = await get(target, { "If-None-Match": '"client"' });
  expect([confirmed.status, confirmed.text, confirmed.headers["x-new"]]).toEqual([200, "body", "1"]);
  expect((await get(target)).text).toBe("body");
  expect(asked).toHaveLength(2);
});

test("a stale response that changed is replaced", async () => {
  const target = path();
  answer = reply({ "Cache-Control": "max-age=0", Etag: '"a"' });
  await get(target);
  answer = reply({ "Cache-Control": "max-age=60", Etag: '"b"' }, "new");
  expect([(await get(target)).text, (await get(target)).text, asked.length]).toEqual(["new", "new", 2]);
});

test("variants are kept apart", async () => {
  const target = path();
  answer = (request, response) =>
    void response
      .writeHead(200, { "Cache-Control": "max-age=60", Vary: "Accept-Language" })
      .end(request.headers["accept-language"]);
  for (const language of ["de", "en", "de", "en"]) {
    expect((await get(target, { "Accept-Language": language })).text).toBe(language);
  }
  expect(asked).toHaveLength(2);
});

test("while an origin fails, a stale response may stand in", async () => {
  const target = path();
  answer = reply({ "Cache-Control": "max-age=0, stale-if-error=60" });
  await get(target);
  answer = reply({}, "broken", 503);
  const standIn = await get(target);
  expect([standIn.status, standIn.text, standIn.headers["cache-status"]]).toEqual([
    200,
    "body",
    "server; hit; detail=stale-if-error",
  ]);
  answer = (_request, response) => void response.destroy();
  expect((await get(target)).text).toBe("body");
});

test("while one asks again, others get the stale response", async () => {
  const target = path();
  answer = reply({ "Cache-Control": "max-age=0, stale-while-revalidate=60" });
  await get(target);
  const arrived = Promise.withResolvers<ServerResponse>();
  answer = (_request, response) => arrived.resolve(response);
  const waiting = get(target);
  const held = await arrived.promise;
  const others = await get(target);
  expect([others.text, others.headers["cache-status"]]).toEqual(["body", "server; hit; detail=stale"]);
  held.writeHead(200, { "Cache-Control": "max-age=60" }).end("new");
  expect([(await waiting).text, (await get(target)).text]).toEqual(["new", "new"]);
});

test("a change of a resource takes its response out", async () => {
  const target = path();
  answer = reply({ "Cache-Control": "max-age=60" });
  await get(target);
  await get(target, {}, { method: "POST", body: "x" });
  await get(target);
  expect(asked).toHaveLength(3);
});

test("only-if-cached, no-cache and ranges", async () => {
  const target = path();
  answer = reply({ "Cache-Control": "max-age=60" });
  expect((await get(target, { "Cache-Control": "only-if-cached" })).status).toBe(504);
  await get(target);
  expect((await get(target, { "Cache-Control": "only-if-cached" })).text).toBe("body");
  await get(target, { "Cache-Control": "no-cache" });
  await get(target, { Range: "bytes=0-1" });
  expect(asked).toHaveLength(3);
});

test("responses are purged through the admin API, by address, by prefix, or all", async () => {
  const [a, b] = [path(), path()];
  answer = reply({ "Cache-Control": "max-age=60" });
  const fill = async () => {
    await get(a);
    await get(b);
  };
  await server.admin("POST", "/cache", { all: true });
  await fill();
  const state = JSON.parse((await server.admin("GET", "/cache")).text) as { caches: { responses: number }[] };
  expect(state.caches[0]?.responses).toBe(2);
  expect((await server.admin("POST", "/cache", { url: `${server.site}${a}` })).text).toBe('{"purged":1}\n');
  expect((await server.admin("POST", "/cache", { prefix: server.site })).text).toBe('{"purged":1}\n');
  asked = [];
  await fill();
  expect(asked).toHaveLength(2);
});

test.each([[{}], [{ all: true, url: "x" }], [{ bogus: 1 }], [[]]])(
  "a purge of %j is refused",
  async (purge) => {
    expect((await server.admin("POST", "/cache", purge)).status).toBe(400);
  },
);

test("the lines and the option of caddyserver/cache-handler", async () => {
  const text = `{
	cache {
		ttl 1h
		log_level debug
		nuts {
			path /tmp/nuts
		}
	}
}

:80 {
	cache {
		ttl 24h
		stale 6h
		default_cache_control "public, max-age=86400"
	}
	respond hello
}
`;
  const { result } = adaptServerfile(Buffer.from(text), {});
  expect(result).toMatchObject({ apps: { cache: { ttl: 3_600e9 } } });
  expect(JSON.stringify(result)).toContain(
    '{"handler":"cache","ttl":86400000000000,"stale":21600000000000,"default_cache_control":"public, max-age=86400"}',
  );
  expect(adaptServerfile(Buffer.from(await toServerfile(result)), {}).result).toEqual(result);
});

test.each([
  ["{\n\tcache {\n\t\tredis {\n\t\t\turl redis://x\n\t\t}\n\t}\n}\n:80\n", "there is no storage redis"],
  [":80 {\n\tcache {\n\t\tolric {\n\t\t}\n\t}\n}\n", "there is no storage olric"],
  ["{\n\tcache {\n\t\todd\n\t}\n}\n:80\n", "cache: unrecognized line 'odd'"],
])("what of the plug-in is not there is refused by name: %j", (text, message) => {
  expect(() => adaptServerfile(Buffer.from(text), {})).toThrow(message);
});

test("the app's defaults, the handler's own, and Cache-Control for responses without", async () => {
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] };
  const config = siteConfig(
    {
      match: [{ path: ["/own"] }],
      handle: [{ handler: "cache", default_cache_control: "max-age=5" }, proxy],
    },
    { handle: [{ handler: "cache" }, proxy] },
  ) as { apps: object };
  const other = await RunningServer.start({ apps: { ...config.apps, cache: { ttl: "1h" } } });
  const from = (target: string) => ask(`${other.site}${target}`);
  answer = reply({});
  await from("/defaults");
  expect((await from("/defaults")).headers["cache-status"]).toMatch(/^server; hit; ttl=3(?:600|59\d)$/);
  expect((await from("/own")).headers["cache-control"]).toBe("max-age=5");
  expect((await from("/own")).headers["cache-status"]).toMatch(/^server; hit; ttl=[45]$/);
  answer = reply({}, "gone", 404);
  expect((await from("/own?gone")).headers["cache-control"]).toBeUndefined();
  answer = reply({ "Cache-Control": "no-store" });
  expect((await from("/own?none")).headers["cache-control"]).toBe("no-store");
  // Another default of the app counts for routes that did not change.
  const changed = await other.admin("PATCH", "/config/apps/cache", { ttl: "1s" });
  expect(changed.status).toBe(200);
  answer = reply({});
  await from("/short");
  expect((await from("/short")).headers["cache-status"]).toMatch(/^server; hit; ttl=[01]$/);
  await other.close();
});
