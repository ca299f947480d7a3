import { once } from "node:events";
import { truncate, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function load(...routes: unknown[]): Promise<void> {
  expect(await running.admin("POST", "/load", siteConfig(...routes))).toMatchObject({ status: 200 });
}

const set = (name: string, value: string) => ({ handler: "vars", [name]: value });
const say = (body: string) => ({ handler: "static_response", body });
const path = (...paths: string[]) => [{ path: paths }];

describe("routes", () => {
  test.each<[string, object]>([
    [
      "a header that waits for the answer",
      { handler: "headers", response: { deferred: true, set: { X: ["y"] } } },
    ],
    [
      "intercept",
      {
        handler: "intercept",
        handle_response: [{ routes: [{ handle: [{ handler: "static_response", body: "x" }] }] }],
      },
    ],
    ["encode", { handler: "encode", encodings: { gzip: {} }, minimum_length: 1 }],
    ["templates", { handler: "templates" }],
  ])("what waits for an answer waits for one of a handler: %s", async (_, handler) => {
    await load({ handle: [handler], terminal: true });
    const { status, headers, text } = await ask(running.site);
    expect([status, text, headers["content-length"], headers.x]).toEqual([200, "", "0", undefined]);
  });

  test("no route answers: 200 with nothing", async () => {
    await load({ match: path("/x"), ...(respond("x") as object) });
    expect(await ask(`${running.site}/y`)).toMatchObject({
      status: 200,
      text: "",
      headers: { server: "server" },
    });
  });

  test("a question about the server as a whole is answered before the routes", async () => {
    await load(respond("x") as object);
    const asked = "OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    const answers = await rawRequest(
      running.site,
      `${asked}GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(answers).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Length: 0\r\nDate: [^\r]*\r\n\r\nHTTP\/1\.1 200 OK\r\n.*\r\n\r\nx$/s,
    );
    expect(await rawRequest(running.site, "OPTIONS * HTTP/1.1\r\nHost: a b\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 400 /,
    );
  });

  test("handlers of a matching route run around what comes after", async () => {
    await load(
      { handle: [set("a", "1")] },
      { match: path("/x*"), handle: [set("b", "2")] },
      { handle: [say("{http.vars.a}{http.vars.b}")] },
      { handle: [say("never")] },
    );
    expect((await ask(`${running.site}/x`)).text).toBe("12");
    expect((await ask(`${running.site}/y`)).text).toBe("1");
  });

  test("of a group the first match counts", async () => {
    await load(
      { group: "g", match: path("/a*"), handle: [set("v", "a")] },
      { group: "g", match: path("/ab*"), handle: [set("v", "ab")] },
      { group: "h", match: path("/ab*"), handle: [set("w", "h")] },
      { handle: [say("{http.vars.v}{http.vars.w}")] },
    );
    expect((await ask(`${running.site}/abc`)).text).toBe("ah");
  });

  test("terminal ends the search", async () => {
    await load({ match: path("/t"), handle: [set("v", "1")], terminal: true }, respond("after"));
    expect((await ask(`${running.site}/t`)).text).toBe("");
    expect((await ask(`${running.site}/u`)).text).toBe("after");
  });

  test("of match sets one must match, all matchers of it", async () => {
    await load(
      {
        match: [{ path: ["/a"], method: ["POST"] }, { host: ["x.example"] }],
        handle: [say("matched")],
      },
      respond("not"),
    );
    const text = async (target: string, method: string, host: string) =>
      (await ask(`${running.site}${target}`, { method, headers: { Host: host } })).text;
    expect(await text("/a", "POST", "y")).toBe("matched");
    expect(await text("/a", "GET", "y")).toBe("not");
    expect(await text("/b", "GET", "X.Example:1234")).toBe("matched");
  });

  test("a subroute goes on after its routes", async () => {
    await load({
      handle: [{ handler: "subroute", routes: [{ handle: [set("v", "in")] }] }, say("{http.vars.v}")],
    });
    expect((await ask(running.site)).text).toBe("in");
  });

  test("terminal in a subroute ends the outer chain too", async () => {
    const routes = [{ match: path("/t"), handle: [set("v", "1")], terminal: true }];
    await load({ handle: [{ handler: "subroute", routes }, say("outer")] }, respond("never"));
    expect((await ask(`${running.site}/t`)).text).toBe("");
    expect((await ask(`${running.site}/u`)).text).toBe("outer");
  });

  test("an absent array in a nested module can be appended to", async () => {
    await load({ handle: [{ handler: "subroute" }] });
    const routes = "/config/apps/http/servers/s/routes/0/handle/0/routes";
    expect((await running.admin("POST", routes, respond("nested"))).status).toBe(200);
    expect((await running.admin("GET", routes)).text).toContain("nested");
    expect((await ask(running.site)).text).toBe("nested");
  });
});

describe("limits of a connection", () => {
  test("headers may have max_header_bytes, 16 KiB where it does not say, and 4 KiB more", async () => {
    await load({ handle: [say("{http.request.header.X}")] });
    const statusOf = async (length: number) =>
      (await ask(running.site, { headers: { X: "a".repeat(length) } })).status;
    expect([await statusOf(20_200), await statusOf(20_600)]).toEqual([200, 431]);
    await running.admin("POST", "/config/apps/http/servers/s/max_header_bytes", 2_000);
    expect([await statusOf(5_800), await statusOf(6_200)]).toEqual([200, 431]);
    await running.admin("POST", "/config/apps/http/servers/s/max_header_bytes", 1_000_000);
    expect(await statusOf(900_000)).toBe(200);
  });

  test("a negative timeout is none, and 0 is the default", async () => {
    await load(respond("x"));
    await running.admin("PATCH", "/config/apps/http/servers/s", {
      listen: ["127.0.0.1:0"],
      routes: [respond("x")],
      read_header_timeout: -1,
      idle_timeout: "-1s",
      read_idle_timeout: 0,
      write_idle_timeout: -1,
      keepalive_interval: -1,
    });
    expect((await ask(running.site)).text).toBe("x");
    const bad = await running.admin("POST", "/config/apps/http/servers/s/idle_timeout", '"-x"');
    expect([bad.status, bad.error]).toEqual([400, expect.stringContaining("invalid duration")]);
  });

  test("who takes less than max_write_chunk within write_idle_timeout is cut, though it takes a little", async () => {
    const bytes = 64 * 1024 * 1024;
    const file = join(running.configFolder, "large");
    await writeFile(file, "");
    await truncate(file, bytes);
    await load({ handle: [{ handler: "file_server", root: running.configFolder }] });
    for (const [option, value] of [
      ["max_write_chunk", bytes],
      ["write_idle_timeout", '"100ms"'],
    ] as const) {
      const { error } = await running.admin("POST", `/config/apps/http/servers/s/${option}`, String(value));
      expect(error).toBe("");
    }
    const { hostname, port } = new URL(running.site);
    const socket = connect(Number(port), hostname).on("error", () => {});
    socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    let taken = 0;
    socket.on("data", (chunk) => {
      taken += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 5);
    });
    await once(socket, "close");
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(bytes);
  });

  test("who does not end its headers in time gets 408", async () => {
    await load(respond("x"));
    await running.admin("POST", "/config/apps/http/servers/s/read_header_timeout", '"50ms"');
    expect(await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\n")).toMatch(/^HTTP\/1.1 408 /);
  });
});

describe("static_response", () => {
  test("fills in status, headers and body", async () => {
    await load({
      handle: [
        {
          handler: "static_response",
          status_code: "{http.request.header.X-Status}",
          headers: { "X-A": ["{http.request.method} é", "second"], "Content-Type": ["text/x"] },
          body: "{http.request.host} {http.request.port} {http.request.uri} {http.request.uri.query.q} {unknown} \\{x\\} {http.vars.none}.",
        },
      ],
    });
    const answer = await ask(`${running.site}/p%20q?q=1%26`, {
      headers: { "X-Status": "418", Host: "h.example:99" },
    });
    expect(answer).toMatchObject({ status: 418, text: "h.example 99 /p%20q?q=1%26 1& {unknown} {x} ." });
    expect(answer.headers["content-type"]).toBe("text/x");
    const values = answer.rawHeaders.filter((_, index) => answer.rawHeaders[index - 1] === "X-A");
    expect(values.map((value) => Buffer.from(value, "latin1").toString())).toEqual(["GET é", "second"]);
  });

  test.each([
    ['{"a":1}', "application/json"],
    [" [1]", "application/json"],
    ["{no json", "text/plain; charset=utf-8"],
    ["5", "text/plain; charset=utf-8"],
  ])("%j is %s", async (body, type) => {
    await load(respond(body));
    expect((await ask(running.site)).headers["content-type"]).toBe(type);
  });

  test.each([
    ["{http.request.uri.query.v}", "/?v=a%0d%0aInjected:%201", "a  Injected: 1"],
    ["{http.request.uri.path}", "/a%0D%0AInjected:%201%01", "/a  Injected: 1"],
    ["é {http.request.uri.path}", "/%E2%82%AC/%C3%A9", "é /€/é"],
    ["{http.request.uri}", "/%E2%82%AC", "/%E2%82%AC"],
    ["{http.request.header.X}", "/", "as sent: €"],
  ])("a header of %s for %s has its text, and never splits the response", async (value, target, expected) => {
    await load({ handle: [{ handler: "static_response", headers: { "X-A": [value] }, body: "x" }] });
    const sent = Buffer.from("as sent: €").toString("latin1");
    const answer = await ask(running.site, { target, headers: { X: sent } });
    expect(answer).toMatchObject({ status: 200, text: "x" });
    expect(Buffer.from(String(answer.headers["x-a"]), "latin1").toString()).toBe(expected);
    expect(answer.headers.injected).toBeUndefined();
  });

  test("a head that cannot be written is 500, and says so in words too", async () => {
    await load({ handle: [{ handler: "static_response", headers: { "X A": ["a"] }, body: "x" }] });
    const answer = await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 500 Internal Server Error\r\n/);
    expect(answer).not.toContain("X A");
  });

  test("a status that is none is an error, at load where it is known", async () => {
    const config = (status_code: unknown) =>
      siteConfig({ handle: [{ handler: "static_response", status_code }] });
    for (const status of [99, 1000, "xx", 101]) {
      expect((await running.admin("POST", "/load", config(status))).status).toBe(400);
    }
    await load({ handle: [{ handler: "static_response", status_code: "{http.request.header.S}" }] });
    expect((await ask(running.site, { headers: { S: "12" } })).status).toBe(500);
  });

  test("close ends the connection, abort cuts it", async () => {
    await load(
      { match: path("/close"), handle: [{ handler: "static_response", close: true }] },
      { match: path("/abort"), handle: [{ handler: "static_response", abort: true }] },
    );
    expect(
      (await ask(`${running.site}/close`, { headers: { Connection: "keep-alive" } })).headers.connection,
    ).toBe("close");
    await expect(ask(`${running.site}/abort`)).rejects.toThrow();
  });

  test("the length of a body is said once, whatever the site says of it", async () => {
    const length = { handler: "headers", response: { set: { "Content-Length": ["3"] } } };
    await load({ handle: [length] }, respond("hello"));
    const answer = await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(answer.match(/content-length: .*/gi)).toEqual(["Content-Length: 5"]);
    expect(answer).toMatch(/hello$/);
  });

  test("a client that ended its side gets the whole of a file", async () => {
    const path = join(running.configFolder, "large.txt");
    await writeFile(path, "");
    await truncate(path, 3_000_000);
    await load({ handle: [{ handler: "file_server", root: running.configFolder }] });
    const { hostname, port } = new URL(running.site);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.end("GET /large.txt HTTP/1.1\r\nHost: a\r\n\r\n");
    const bytes: Buffer[] = [];
    for await (const chunk of socket) {
      bytes.push(chunk as Buffer);
    }
    const answer = Buffer.concat(bytes);
    expect(answer.length - answer.indexOf("\r\n\r\n") - 4).toBe(3_000_000);
  });

  test("a client that ends its side within a body that nobody reads is let go at once", async () => {
    await load({ handle: [say("early")] });
    const { hostname, port } = new URL(running.site);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*early$/);
    socket.end();
    await once(socket, "end");
  });

  test("HEAD has the headers and no body", async () => {
    await load(respond("hello"));
    const answer = await ask(running.site, { method: "HEAD" });
    expect([answer.status, answer.headers["content-length"], answer.text]).toEqual([200, "5", ""]);
  });
});

describe("headers", () => {
  test("adds, sets and deletes on both sides", async () => {
    await load(
      {
        handle: [
          {
            handler: "headers",
            request: { set: { "X-In": ["set"] }, delete: ["X-Gone*"] },
            response: { set: { "X-Early": ["{http.request.header.X-In}{http.request.header.X-Gone-1}"] } },
          },
          {
            handler: "headers",
            response: { deferred: true, delete: ["X-Late"], add: { "X-Added": ["1", "2"] } },
          },
        ],
      },
      { handle: [{ handler: "static_response", headers: { "X-Late": ["x"] } }] },
    );
    const { headers } = await ask(running.site, { headers: { "X-In": "client", "X-Gone-1": "client" } });
    expect([headers["x-early"], headers["x-late"], headers["x-added"]]).toEqual(["set", undefined, "1, 2"]);
  });
});

describe("what node's parser lets through, and what not", () => {
  const host = "Host: a\r\n";
  test.each([
    [
      "content length and chunked",
      `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ["two lengths", `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcd`, 400],
    ["a negative length", `POST / HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`, 400],
    ["an unknown transfer encoding", `POST / HTTP/1.1\r\n${host}Transfer-Encoding: bogus\r\n\r\n`, 501],
    ["chunked that is not last", `POST / HTTP/1.1\r\n${host}Transfer-Encoding: chunked, gzip\r\n\r\n`, 400],
    ["a folded header", `GET / HTTP/1.1\r\n${host}A: b\r\n c\r\n\r\n`, 400],
    ["a bare CR in a value", `GET / HTTP/1.1\r\n${host}A: b\rc\r\n\r\n`, 400],
    ["a space before the colon", `GET / HTTP/1.1\r\n${host}A : b\r\n\r\n`, 400],
    ["a NUL in a value", `GET / HTTP/1.1\r\n${host}A: b\0c\r\n\r\n`, 400],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400],
    ["an empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400],
    ["a Host of dots", "GET / HTTP/1.1\r\nHost: .:80\r\n\r\n", 400],
    ["a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400],
    ["a bad escape", `GET /%zz HTTP/1.1\r\n${host}\r\n`, 400],
    ["an escaped NUL", `GET /a%00b HTTP/1.1\r\n${host}\r\n`, 400],
    ["headers over 1 MiB", `GET / HTTP/1.1\r\n${host}A: ${"a".repeat(1_100_000)}\r\n\r\n`, 431],
    ["no HTTP at all", "\x16\x03\x01\x02\x00\r\n\r\n", 400],
  ])("%s", async (_, request, status) => {
    await load(respond("reached"));
    const answer = await rawRequest(running.site, request);
    expect(answer.split(" ", 2)[1]).toBe(String(status));
    expect(answer).not.toContain("reached");
  });

  test.each([
    ["http://real.example:8/p", "real.example /p"],
    ["http:///p", "other.example /p"],
    ["HTTP://", "other.example /"],
  ])("an absolute target names the host where it has one: %s", async (target, expected) => {
    await load(respond("{http.request.host} {http.request.uri.path}"));
    const answer = await rawRequest(
      running.site,
      `GET ${target} HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.endsWith(`\r\n\r\n${expected}`)).toBe(true);
  });

  test("a client of HTTP/1.0 may name no host", async () => {
    await load(respond("reached"));
    expect(await rawRequest(running.site, "GET / HTTP/1.0\r\n\r\n")).toContain("reached");
  });

  test("an upgrade that nobody takes is a request like any other", async () => {
    await load(respond("plain"));
    const upgrade = (protocol: string) =>
      rawRequest(
        running.site,
        `GET / HTTP/1.1\r\n${host}Connection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`,
      );
    expect(await upgrade("websocket")).toMatch(/^HTTP\/1.1 200 OK[\s\S]*plain$/);
    expect(await upgrade("h2c")).toMatch(/^HTTP\/1.1 200 OK[\s\S]*plain$/);
  });
});

test("a server may listen on several addresses and on a unix socket", async () => {
  const socketPath = join(running.configFolder, "site.sock");
  const config = siteConfig(respond("hi")) as { apps: { http: { servers: { s: { listen: string[] } } } } };
  config.apps.http.servers.s.listen = ["127.0.0.1:0", "[::1]:0", `unix/${socketPath}|0600`];
  expect((await running.admin("POST", "/load", config)).status).toBe(200);
  expect(running.sites).toHaveLength(3);
  const [ipv4 = "", ipv6 = ""] = running.sites;
  expect([(await ask(ipv4)).text, (await ask(ipv6)).text]).toEqual(["hi", "hi"]);
});

test("a config for hosts on a port of the system's choice serves plain HTTP, and refuses what it cannot do", async () => {
  await load({ match: [{ host: ["example.com"] }], ...(respond("plain") as object) });
  expect((await ask(running.site, { headers: { Host: "example.com" } })).text).toBe("plain");
  const server = "/config/apps/http/servers/s";
  expect((await running.admin("POST", `${server}/automatic_https`, { disable: true })).status).toBe(200);
  expect((await running.admin("POST", `${server}/allow_0rtt`, 1)).error).toContain("allow_0rtt");
  expect((await running.admin("POST", `${server}/protocols`, ["h1", "h9"])).error).toContain(
    "protocol 'h9' is not supported yet",
  );
});

test.each<[string, object, string]>([
  ["h3 alone", { protocols: ["h3"] }, "h3 is not served alone: name another protocol beside it"],
  [
    "wrappers for HTTP/3",
    { packet_conn_wrappers: [{ wrapper: "x" }] },
    '"packet_conn_wrappers" is not supported',
  ],
])("a server with %s is refused with the reason", async (_, more, message) => {
  const s = { listen: ["127.0.0.1:0"], ...more };
  const answer = await running.admin("POST", "/validate", { apps: { http: { servers: { s } } } });
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
});
