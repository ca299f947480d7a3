import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

const say = (body: string) => ({ handle: [{ handler: "static_response", body }] });
const fail = (status_code: number, error = "") => ({ handler: "error", status_code, error });

async function load(options: object, ...routes: unknown[]): Promise<void> {
  const config = siteConfig(...routes) as { apps: { http: { servers: { s: object } } } };
  Object.assign(config.apps.http.servers.s, options);
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200, error: "" });
}

describe("errors", () => {
  const oops = { handle: [fail(418, "oops")] };

  test("without routes: the status, with nothing", async () => {
    await load({}, oops);
    expect(await ask(running.site)).toMatchObject({ status: 418, text: "" });
  });

  test("have their routes, whose answer has the status of the error unless it names one", async () => {
    const text = "{http.error.status_code} {http.error.status_text} {http.error.message}";
    await load({ errors: { routes: [say(text)] } }, oops);
    expect(await ask(running.site)).toMatchObject({ status: 418, text: "418 I'm a teapot oops" });
    await load(
      { errors: { routes: [{ handle: [{ handler: "static_response", status_code: 200 }] }] } },
      oops,
    );
    expect((await ask(running.site)).status).toBe(200);
    await load({ errors: { routes: [] } }, oops);
    expect(await ask(running.site)).toMatchObject({ status: 418, text: "" });
  });

  test("of error routes do not hide the first one", async () => {
    await load({ errors: { routes: [{ handle: [fail(500)] }] } }, oops);
    expect(await ask(running.site)).toMatchObject({ status: 418, text: "" });
  });

  test("get the request as it came, whatever handlers had made of its line", async () => {
    const change = { handler: "rewrite", method: "PUT", uri: "/y?b=1" };
    await load(
      { errors: { routes: [say("{http.request.method} {http.request.uri}")] } },
      { handle: [change, fail(418)] },
    );
    expect((await ask(`${running.site}/x?a=1`)).text).toBe("GET /x?a=1");
  });

  test("take nothing of the answer that failed along", async () => {
    const broken = {
      handler: "static_response",
      headers: { "X-A": ["kept"], "X B": ["bad name"] },
      body: "lost",
    };
    await load({ errors: { routes: [say("caught")] } }, { handle: [broken] });
    const answer = await ask(running.site);
    expect([answer.status, answer.text, answer.headers["x-a"]]).toEqual([500, "caught", undefined]);
  });
});

test("named routes run where they are invoked", async () => {
  await load(
    { named_routes: { hello: { match: [{ path: ["/a*"] }], ...say("hello") } } },
    { handle: [{ handler: "invoke", name: "hello" }] },
    say("else"),
  );
  expect([(await ask(`${running.site}/abc`)).text, (await ask(`${running.site}/x`)).text]).toEqual([
    "hello",
    "else",
  ]);
});

describe("the client's address", () => {
  const matched = { match: [{ client_ip: { ranges: ["192.0.2.0/24"] } }], ...say("client") };
  const local = { source: "static", ranges: ["127.0.0.0/8", "10.0.0.0/8"] };
  test.each<[string, object, Record<string, string>, string]>([
    ["nobody is trusted", {}, { "X-Forwarded-For": "192.0.2.1" }, "other"],
    [
      "a trusted proxy names it",
      { trusted_proxies: local },
      { "X-Forwarded-For": "192.0.2.1, 10.0.0.1" },
      "client",
    ],
    [
      "the first address counts",
      { trusted_proxies: local },
      { "X-Forwarded-For": "198.51.100.1, 192.0.2.1" },
      "other",
    ],
    [
      "strict: the last that is no proxy counts",
      { trusted_proxies: local, trusted_proxies_strict: 1 },
      { "X-Forwarded-For": "198.51.100.1, 192.0.2.1, 10.0.0.1" },
      "client",
    ],
    ["no address", { trusted_proxies: local }, { "X-Forwarded-For": "unknown" }, "other"],
    ["with a port", { trusted_proxies: local }, { "X-Forwarded-For": "192.0.2.1:4711" }, "client"],
    [
      "another field",
      { trusted_proxies: local, client_ip_headers: ["X-Real-IP", "X-Forwarded-For"] },
      { "X-Real-IP": "192.0.2.9", "X-Forwarded-For": "198.51.100.1" },
      "client",
    ],
    [
      "a proxy that is not trusted",
      { trusted_proxies: { source: "static", ranges: ["10.0.0.0/8"] } },
      { "X-Forwarded-For": "192.0.2.1" },
      "other",
    ],
  ])("%s", async (_, options, headers, expected) => {
    await load(options, matched, say("other"));
    expect((await ask(running.site, { headers })).text).toBe(expected);
  });
});

test("who connects over a unix socket may name the client where that is said", async () => {
  const socketPath = join(running.configFolder, "site.sock");
  const client = async () => {
    const request = httpRequest({
      socketPath,
      agent: false,
      headers: { "X-Forwarded-For": "192.0.2.1" },
    }).end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return text(response);
  };
  const route = say("[{http.vars.client_ip}]");
  await load({ listen: [`unix/${socketPath}`] }, route);
  expect(await client()).toBe("[]");
  await load({ listen: [`unix/${socketPath}`], trusted_proxies_unix: true }, route);
  expect(await client()).toBe("[192.0.2.1]");
});

test("a response may begin before the request's body is read; TCP's questions may be set", async () => {
  const options = {
    enable_full_duplex: true,
    keepalive_interval: "5s",
    keepalive_idle: "7s",
    keepalive_count: 3,
  };
  await load(options, say("early"));
  const { hostname, port } = new URL(running.site);
  const socket = connect(Number(port), hostname);
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
  const [head] = (await once(socket, "data")) as [Buffer];
  expect(String(head)).toMatch(/^HTTP\/1\.1 200 [\s\S]*early$/);
  socket.destroy();
  const refused = siteConfig(say("x")) as { apps: { http: { servers: { s: object } } } };
  Object.assign(refused.apps.http.servers.s, { keepalive_count: 128 });
  expect((await running.admin("POST", "/load", refused)).error).toContain(
    "/config/apps/http/servers/s/keepalive_count",
  );
});

test("fields with _ or . in their names are dropped unless they are expected", async () => {
  const route = say(
    "{http.request.header.X_A}|{http.request.header.X_B}|{http.request.header.X.C}|{http.request.header.X-D}",
  );
  const request =
    "GET / HTTP/1.1\r\nHost: a\r\nX_A: 1\r\nX_B: 2\r\nX.C: 3\r\nX-D: 4\r\nConnection: close\r\n\r\n";
  await load({}, route);
  expect(await rawRequest(running.site, request)).toMatch(/\r\n\|\|\|4$/);
  await load({ expected_underscore_headers: ["x_b"], expected_dot_headers: ["X.C"] }, route);
  expect(await rawRequest(running.site, request)).toMatch(/\r\n\|2\|3\|4$/);
});

test("each address speaks the protocols of listen_protocols", async () => {
  const listen = ["127.0.0.1:0", "127.0.0.2:0"];
  await load({ listen, listen_protocols: [["h1"], ["", "h2c"]] }, say("x"));
  const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
  const [first = "", second = ""] = running.sites;
  expect(await rawRequest(first, preface)).toMatch(/^HTTP\/1.1 [45]/);
  expect((await ask(second)).text).toBe("x");
  const { hostname, port } = new URL(second);
  const socket = connect(Number(port), hostname);
  socket.write(preface, "latin1");
  // The server's SETTINGS.
  const [bytes] = (await once(socket, "data")) as [Buffer];
  expect(bytes[3]).toBe(4);
  socket.destroy();
});

describe("slow clients", () => {
  test("that do not finish the head get 408", async () => {
    await load({ read_header_timeout: "100ms" }, say("x"));
    expect(await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\n")).toMatch(/^HTTP\/1.1 408 /);
  });

  test("that send nothing are closed without a word", async () => {
    expect(await rawRequest(running.site, "")).toBe("");
  });

  test.each([
    ["get 408 when it is read", true, 408],
    ["keep no connection when it is not", false, 200],
  ])("that do not finish the body %s", async (_, isRead, status) => {
    const upstream = await UpstreamServer.start((request) => request.on("error", () => {}).resume());
    const proxy = { handle: [{ handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] }] };
    await load({ read_idle_timeout: "100ms" }, isRead ? proxy : say("unread"));
    const answer = await rawRequest(
      running.site,
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab",
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await upstream.kill();
  });

  test("that send less than read_min_rate get 408, though they are never silent for long", async () => {
    const upstream = await UpstreamServer.start((request) => request.on("error", () => {}).resume());
    const proxy = { handle: [{ handler: "reverse_proxy", upstreams: [{ dial: upstream.address }] }] };
    await load({ read_idle_timeout: "1s", read_min_rate: 100_000 }, proxy);
    const { hostname, port } = new URL(running.site);
    const socket = connect(Number(port), hostname);
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    const drip = setInterval(() => socket.write("x"), 50);
    socket.once("data", () => {
      clearInterval(drip);
      socket.end();
    });
    expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
    await upstream.kill();
  });

  test("between two requests are closed after idle_timeout", async () => {
    await load({ idle_timeout: "100ms" }, say("x"));
    expect(await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
  });
});
