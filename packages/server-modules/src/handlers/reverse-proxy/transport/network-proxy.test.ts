import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createH2cServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server as NetServer } from "node:net";
import { selfSigned } from "certificates/testing/self-signed";
import { ask } from "server-core/testing/ask";
import { ConnectProxy } from "server-core/testing/connect-proxy";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
let proxy: ConnectProxy;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterEach(() => proxy.close());
afterAll(() => running.close());

async function listen(server: NetServer): Promise<string> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const echo = (): Server =>
  createServer((request, response) => {
    response.setHeader("x-host", request.headers.host ?? "");
    request.pipe(response);
  });

/** @returns the reason for the refusal; "" when the config loads */
async function load(dial: string, transport: object): Promise<string> {
  const handler = {
    handler: "reverse_proxy",
    upstreams: [{ dial }],
    transport: { protocol: "http", ...transport },
  };
  return (await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).error;
}

test.each([
  ["network_proxy", (url: string) => ({ network_proxy: { from: "url", url } })],
  ["forward_proxy_url", (url: string) => ({ forward_proxy_url: url })],
])("%s: connections are tunnels, used again as others are, for the host that was asked", async (_, field) => {
  proxy = await ConnectProxy.start();
  const dial = await listen(echo());
  expect(await load(dial, field(`http://${proxy.address}`))).toBe("");
  for (const body of ["one", "two".repeat(100_000)]) {
    const answer = await ask(running.site, { method: "POST", body, headers: { Host: "site.example" } });
    expect([answer.status, answer.text, answer.headers["x-host"]]).toEqual([200, body, "site.example"]);
  }
  expect(proxy.tunnels).toEqual([dial]);
});

test("TLS goes through the tunnel, and credentials to the proxy alone", async () => {
  proxy = await ConnectProxy.start();
  const { cert, key, certificate } = await selfSigned("127.0.0.1");
  const upstream = createHttpsServer({ cert, key }, (request, response) =>
    response.end(`secure ${request.headers["proxy-authorization"]}`),
  );
  const dial = await listen(upstream);
  const authority = certificate.raw.toString("base64");
  const tls = { ca: { provider: "inline", trusted_ca_certs: [authority] } };
  const url = `http://user:pass%20word@${proxy.address}`;
  expect(await load(dial, { tls, network_proxy: { from: "url", url } })).toBe("");
  expect((await ask(running.site)).text).toBe("secure undefined");
  const credentials = Buffer.from("user:pass word").toString("base64");
  expect(proxy.tunnels).toEqual([`${dial} Basic ${credentials}`]);
});

test("HTTP/2 without TLS goes through the tunnel", async () => {
  proxy = await ConnectProxy.start();
  const dial = await listen(createH2cServer((request, response) => response.end(request.httpVersion)));
  const through = { network_proxy: { from: "url", url: `http://${proxy.address}` } };
  expect(await load(dial, { versions: ["h2c"], ...through })).toBe("");
  expect((await ask(running.site)).text).toBe("2.0");
  expect(proxy.tunnels).toEqual([dial]);
});

test("`none` goes straight", async () => {
  proxy = await ConnectProxy.start();
  const dial = await listen(echo());
  expect(await load(dial, { network_proxy: { from: "none" } })).toBe("");
  expect((await ask(running.site)).status).toBe(200);
  expect(proxy.tunnels).toEqual([]);
});

test("requests may name proxies of their own, and share no connection then", async () => {
  proxy = await ConnectProxy.start();
  const other = await ConnectProxy.start();
  onTestFinished(() => other.close());
  const dial = await listen(echo());
  const url = "http://{http.request.header.x-proxy}";
  expect(await load(dial, { network_proxy: { from: "url", url } })).toBe("");
  const through = (address: string) => ask(running.site, { headers: { "X-Proxy": address } });
  expect((await through(proxy.address)).status).toBe(200);
  expect((await through(other.address)).status).toBe(200);
  expect((await through(proxy.address)).status).toBe(200);
  expect([proxy.tunnels, other.tunnels]).toEqual([[dial], [dial]]);
  expect((await through("")).status).toBe(502);
});

test.each([
  ["a refusal", "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"],
  ["no HTTP", "SSH-2.0-x\r\n\r\n"],
  ["an answer that breaks off", "HTTP/1.1 2"],
  ["a head without an end", `HTTP/1.1 200 OK\r\nX: ${"y".repeat(20_000)}`],
])("a proxy with %s is 502, and nothing is sent to it", async (_, head) => {
  proxy = await ConnectProxy.start(head);
  expect(await load("192.0.2.1:80", { network_proxy: { from: "url", url: `http://${proxy.address}` } })).toBe(
    "",
  );
  expect((await ask(running.site, { method: "POST", body: "secret" })).status).toBe(502);
  expect(proxy.tunnels).toEqual(["192.0.2.1:80"]);
});

test("a proxy that is none is refused, without its password", async () => {
  proxy = await ConnectProxy.start();
  const error = await load("a:1", { network_proxy: { from: "url", url: "socks4://u:secret@p:1" } });
  expect(error).toMatch(/network_proxy: "socks4:\/\/p:1" is not http:\/\/host:port, https:/);
  expect(error).not.toContain("secret");
  expect(await load("a:1", { network_proxy: { from: "url", url: "p" } })).toMatch(/that URL is not http:/);
});

test("proxies of the environment lead to upstreams that are not of this machine, unless the config says otherwise", async () => {
  proxy = await ConnectProxy.start("HTTP/1.1 403 Forbidden\r\n\r\n");
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("http_proxy", proxy.address);
  vi.stubEnv("https_proxy", `http://u:p@${proxy.address}`);
  vi.stubEnv("no_proxy", "192.0.2.8/31,upstream.invalid:81");
  const here = await listen(echo());
  expect(await load(here, {})).toBe("");
  expect((await ask(running.site, { method: "POST", body: "b" })).text).toBe("b");
  for (const [dial, transport] of [
    ["192.0.2.1:80", {}],
    ["upstream.invalid:80", { versions: ["h2c"] }],
    ["192.0.2.1:443", { tls: {} }],
    ["192.0.2.9:80", { dial_timeout: "20ms" }],
    ["upstream.invalid:81", {}],
    ["192.0.2.2:80", { network_proxy: { from: "none" }, dial_timeout: "20ms" }],
  ] as const) {
    expect(await load(dial, transport)).toBe("");
    expect((await ask(running.site)).status).toBe(502);
  }
  const credentials = Buffer.from("u:p").toString("base64");
  expect(proxy.tunnels).toEqual([
    "192.0.2.1:80",
    "upstream.invalid:80",
    `192.0.2.1:443 Basic ${credentials}`,
  ]);
  vi.stubEnv("http_proxy", "socks4://u:secret@p:1");
  const error = await load("192.0.2.3:80", {});
  expect(error).toMatch(/HTTP_PROXY of the environment: "socks4:\/\/p:1" is not/);
});
