import { stat } from "node:fs/promises";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { ask } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RunningServer, respond, siteConfig } from "../testing/running-server.ts";

let running: RunningServer;
beforeEach(async () => {
  running = await RunningServer.start(siteConfig(respond("hi")));
});
afterEach(() => running.close());

const get = (headers: Record<string, string>, path = "/config/", method = "GET") =>
  ask(running.adminUrl, { method, headers, target: path });

describe("access", () => {
  test.each<[string, Record<string, string>, number, string]>([
    [
      "websocket",
      { Connection: "Upgrade", Upgrade: "websocket" },
      400,
      "WebSocket connections aren't allowed.",
    ],
    ["no-cors", { "Sec-Fetch-Mode": "no-cors" }, 400, "Disabling same-origin restrictions is not allowed."],
    ["null origin", { Origin: "null" }, 400, "Buggy browser is sending null Origin header."],
    ["another host", { Host: "evil.example" }, 403, "host not allowed: evil.example"],
    ["this host on another port", { Host: "127.0.0.1:1" }, 403, "host not allowed: 127.0.0.1:1"],
    [
      "another origin",
      { Origin: "http://evil" },
      403,
      "client is not allowed to access from origin 'http://evil'",
    ],
    [
      "a browser without an origin",
      { "Sec-Fetch-Mode": "cors" },
      403,
      "client is not allowed to access from origin ''",
    ],
    [
      "the first fault is told",
      { Host: "evil", Origin: "null" },
      400,
      "Buggy browser is sending null Origin header.",
    ],
  ])("refuses %s", async (_, headers, status, error) => {
    const answer = await get(headers);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, { error }]);
  });

  test.each(["localhost", "127.0.0.1", "[::1]", "LOCALHOST"])("admits Host %s", async (host) => {
    expect((await get({ Host: `${host}:${running.adminPort}` })).status).toBe(200);
  });

  test("an allowed origin gets CORS headers, and more of them on OPTIONS", async () => {
    const origin = `http://localhost:${running.adminPort}`;
    const { status, headers } = await get({ Origin: origin });
    expect([status, headers["access-control-allow-origin"]]).toEqual([200, origin]);
    const { status: preflight, headers: more } = await get({ Origin: origin }, "/config/", "OPTIONS");
    expect(preflight).toBe(405);
    expect(more["access-control-allow-methods"]).toBe("OPTIONS, GET, POST, PUT, PATCH, DELETE");
    expect(more["access-control-allow-headers"]).toBe("Content-Type, Content-Length, Cache-Control");
    expect(more["access-control-allow-credentials"]).toBe("true");
  });

  test("origins and enforce_origin take effect with the config", async () => {
    const host = `127.0.0.1:${running.adminPort}`;
    const admin = { origins: [host, "https://ok.example"], enforce_origin: true };
    expect((await running.admin("POST", "/config/admin", admin)).status).toBe(200);
    expect((await get({})).status).toBe(403);
    expect((await get({ Referer: "https://ok.example/page?x" })).status).toBe(200);
    expect((await get({ Origin: "http://ok.example" })).status).toBe(403);
    expect((await get({ Origin: "https://ok.example" }, "/stop", "POST")).status).toBe(200);
  });

  test("no origins, nobody enters", async () => {
    await running.admin("POST", "/config/admin", { origins: [] });
    expect((await get({})).status).toBe(403);
  });
});

describe("paths", () => {
  test.each([
    ["/config", "/config/"],
    ["/id", "/id/"],
    ["//config/apps", "/config/apps"],
    ["/config/../x?y=1", "/x?y=1"],
    ["/config/./apps/", "/config/apps/"],
    ["/..//evil.example/", "/evil.example/"],
    ["/id/x/%2e%2e/%2E%2e/y%20z", "/y%20z"],
    ["/config/apps%2F..%2F", "/config/"],
  ])("%s redirects to %s", async (path, location) => {
    const { status, headers, text } = await get({}, path);
    expect([status, headers.location]).toEqual([307, location]);
    expect(text).toBe(`<a href="${location}">Temporary Redirect</a>.\n\n`);
    expect((await get({}, path, "POST")).text).toBe("");
  });
});

describe("limits", () => {
  test("headers over 64 KiB are refused", async () => {
    const answer = await rawRequest(
      running.adminUrl,
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(66_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  test("a body over 100 MiB is refused before it is read", async () => {
    const head = `POST /load HTTP/1.1\r\nHost: 127.0.0.1:${running.adminPort}\r\nContent-Type: application/json\r\n`;
    const answer = await rawRequest(running.adminUrl, `${head}Content-Length: 104857601\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain("larger than the limit of 104857600 bytes");
  });

  test("a refused body is read to its end, so that the answer is not lost to a reset", async () => {
    const head = `POST /load HTTP/1.1\r\nHost: 127.0.0.1:${running.adminPort}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = Buffer.concat([
      Buffer.from("100000\r\n"),
      Buffer.alloc(0x100000, " "),
      Buffer.from("\r\n"),
    ]);
    const socket = connect(running.adminPort, "127.0.0.1");
    const failed = new Promise<Error | undefined>((resolve) =>
      socket.once("error", resolve).once("close", () => resolve(undefined)),
    );
    const answer: Buffer[] = [];
    socket.on("data", (data: Buffer) => answer.push(data));
    socket.write(head);
    for (let sent = 0; sent < 110; sent++) {
      await new Promise((resolve) => socket.write(chunk, resolve));
    }
    socket.write("0\r\n\r\n");
    expect(await failed).toBeUndefined();
    expect(Buffer.concat(answer).toString()).toMatch(
      /^HTTP\/1.1 413 .*\r\n\r\n\{"error":"request body is larger/s,
    );
  });

  test("a client that asks before it sends is told at once", async () => {
    const head = `POST /load HTTP/1.1\r\nHost: 127.0.0.1:${running.adminPort}\r\nExpect: 100-continue\r\n`;
    const refused = await rawRequest(running.adminUrl, `${head}Content-Length: 104857601\r\n\r\n`);
    expect(refused).toMatch(/^HTTP\/1.1 413 /);
    const method = await rawRequest(
      running.adminUrl,
      `${head.replace("POST", "GET")}Content-Length: 5\r\n\r\n`,
    );
    expect(method).toMatch(/^HTTP\/1.1 405 /);
    const wanted = await rawRequest(
      running.adminUrl,
      `${head}Connection: close\r\nContent-Length: 4\r\n\r\nnull`,
    );
    expect(wanted).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
  });

  test("two Host headers are refused", async () => {
    const host = `Host: 127.0.0.1:${running.adminPort}\r\n`;
    const answer = await rawRequest(
      running.adminUrl,
      `GET /config/ HTTP/1.1\r\n${host}Host: evil.example\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*too many Host headers/);
  });

  test("a body that ends early changes nothing", async () => {
    const head = `POST /load HTTP/1.1\r\nHost: 127.0.0.1:${running.adminPort}\r\nContent-Length: 100\r\n\r\n{}`;
    const socket = connect(running.adminPort, "127.0.0.1");
    socket.end(head);
    await new Promise((resolve) => socket.once("close", resolve).resume());
    expect((await running.admin("GET", "/config/")).text).toContain("static_response");
  });
});

describe("the address", () => {
  async function freePort(): Promise<number> {
    const probe = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => probe.once("listening", resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }

  test("moves with the config; the call that moves it is answered on the old one", async () => {
    const old = running.adminUrl;
    const port = await freePort();
    expect((await running.admin("POST", "/config/admin", { listen: `127.0.0.1:${port}` })).status).toBe(200);
    expect(running.adminPort).toBe(port);
    expect((await running.admin("GET", "/config/admin/listen")).text).toBe(`"127.0.0.1:${port}"\n`);
    await expect(ask(`${old}/config/`)).rejects.toThrow();
    await running.admin("DELETE", "/config/");
    expect(running.adminPort).not.toBe(port);
  });

  test("stays when the config that would move it is refused", async () => {
    const { adminPort } = running;
    const port = await freePort();
    const answer = await running.admin("POST", "/load", {
      admin: { listen: `127.0.0.1:${port}` },
      apps: { nope: {} },
    });
    expect(answer.status).toBe(400);
    expect(running.adminPort).toBe(adminPort);
    expect((await running.admin("GET", "/config/")).status).toBe(200);
    await expect(ask(`http://127.0.0.1:${port}/config/`)).rejects.toThrow();
  });

  test("a taken one refuses the config", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const answer = await running.admin("POST", "/config/admin", { listen: `127.0.0.1:${port}` });
    expect([answer.status, answer.error]).toEqual([
      400,
      `loading new config: starting admin endpoint: listen tcp 127.0.0.1:${port}: bind: address already in use`,
    ]);
    expect((await running.admin("GET", "/config/")).status).toBe(200);
    taken.close();
  });

  test.each(["a:80-81", "unix/rel", "udp/:1"])("refuses %s", async (listen) => {
    expect((await running.admin("POST", "/config/admin", { listen })).status).toBe(400);
  });

  test("may be a unix socket, which checks no host", async () => {
    const path = join(running.configFolder, "admin.sock");
    await running.admin("POST", "/config/admin", { listen: `unix/${path}|0600` });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const status = await new Promise((resolve, reject) => {
      request({ socketPath: path, path: "/config/", headers: { Host: "anything" } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(200);
  });

  test("disabled, it is gone and the site goes on", async () => {
    const { site, adminUrl } = running;
    expect((await running.admin("POST", "/config/admin", { disabled: true })).status).toBe(200);
    await expect(ask(`${adminUrl}/config/`)).rejects.toThrow();
    expect((await ask(site)).text).toBe("hi");
  });
});
