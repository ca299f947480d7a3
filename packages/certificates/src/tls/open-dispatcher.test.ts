import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { ConnectProxy } from "server-core/testing/connect-proxy";
import { SocksProxy } from "server-core/testing/socks-proxy";
import { type Dispatcher, request } from "undici";
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { selfSigned } from "../testing/self-signed.ts";
import { checkProxy, openDispatcher } from "./open-dispatcher.ts";

const authority = createServer((_, response) => response.end("here"));
let root: string;
let place: string;
let proxy: ConnectProxy;
let dispatcher: Dispatcher | undefined;
beforeAll(async () => {
  const { cert, key } = await selfSigned("127.0.0.1", { names: ["127.0.0.1", "localhost"] });
  root = cert;
  authority.setSecureContext({ cert, key });
  authority.listen(0, "127.0.0.1");
  await once(authority, "listening");
  place = `127.0.0.1:${(authority.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  proxy = await ConnectProxy.start();
  for (const name of ["https_proxy", "http_proxy", "no_proxy", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"]) {
    vi.stubEnv(name, undefined);
  }
});
afterEach(async () => {
  await dispatcher?.destroy();
  proxy.close();
  vi.unstubAllEnvs();
});
afterAll(() => {
  authority.close();
});

async function ask(url: string): Promise<string> {
  const { body } = await request(url, dispatcher === undefined ? {} : { dispatcher });
  return body.text();
}

async function asked(proxyUrl: string | undefined): Promise<string> {
  dispatcher = await openDispatcher([root], proxyUrl);
  return ask(`https://${place}/directory`);
}

test("authorities are asked through the proxy, which sees no more than where to", async () => {
  expect(await asked(`http://user:word@${proxy.address}`)).toBe("here");
  expect(proxy.tunnels).toEqual([`${place} Basic ${Buffer.from("user:word").toString("base64")}`]);
});

test("a proxy may speak SOCKS", async () => {
  const socks = await SocksProxy.start({ credentials: "user:word" });
  onTestFinished(() => socks.close());
  const named = place.replace("127.0.0.1", "localhost");
  dispatcher = await openDispatcher([root], `socks5h://user:word@${socks.address}`);
  expect(await ask(`https://${named}/directory`)).toBe("here");
  expect(socks.tunnels).toEqual([named]);
});

test("`none` goes straight, whatever the environment says", async () => {
  vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:9");
  expect(await asked("")).toBe("here");
});

test("unless told otherwise the environment says; this machine is never asked through a proxy", async () => {
  vi.stubEnv("HTTPS_PROXY", `http://${proxy.address}`);
  expect(await asked(undefined)).toBe("here");
  const elsewhere = ask("https://authority.invalid:7/directory");
  await expect(elsewhere).rejects.toThrow();
  expect(proxy.tunnels).toEqual(["authority.invalid:7"]);
});

test.each([
  ["no_proxy", "authority.invalid"],
  ["NO_PROXY", "*"],
])("%s=%s keeps the proxy away", async (name, value) => {
  vi.stubEnv("https_proxy", `http://${proxy.address}`);
  vi.stubEnv(name, value);
  dispatcher = await openDispatcher([], undefined);
  await expect(ask("https://authority.invalid:7/")).rejects.toThrow("ENOTFOUND");
  expect(proxy.tunnels).toEqual([]);
});

test.each(["socks4://a:1", "a", "{env.PROXY}"])("%s is no proxy for authorities", (url) => {
  expect(() => checkProxy(url)).toThrow(
    "network_proxy: url is not http://host:port, https://host:port or socks5://",
  );
});
