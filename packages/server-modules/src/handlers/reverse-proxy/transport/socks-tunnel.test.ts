import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer, type Server as NetServer } from "node:net";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { ask } from "server-core/testing/ask";
import { SocksProxy, type SocksProxyOptions } from "server-core/testing/socks-proxy";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";
import { parseDial } from "./dial-address.ts";
import { askForSocksTunnel } from "./socks-tunnel.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function listen(server: NetServer): Promise<string> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startProxy(options?: SocksProxyOptions): Promise<SocksProxy> {
  const proxy = await SocksProxy.start(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** @returns the reason for the refusal; "" when the config loads */
async function load(dial: string, url: string): Promise<string> {
  const transport = { protocol: "http", network_proxy: { from: "url", url } };
  const handler = { handler: "reverse_proxy", upstreams: [{ dial }], transport };
  return (await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).error;
}

const echo = () => createServer((request, response) => request.pipe(response));

test("connections are tunnels, used again as others are", async () => {
  const proxy = await startProxy();
  const dial = await listen(echo());
  expect(await load(dial, `socks5://${proxy.address}`)).toBe("");
  for (const body of ["one", "two".repeat(100_000)]) {
    expect(await ask(running.site, { method: "POST", body })).toMatchObject({ status: 200, text: body });
  }
  expect(proxy.tunnels).toEqual([dial]);
});

test("names are the proxy's to look up, and user and password are shown to who wants them", async () => {
  const proxy = await startProxy({ credentials: "user:pass word" });
  const port = (await listen(echo())).split(":")[1];
  expect(await load(`upstream.invalid:${port}`, `socks5h://user:pass%20word@${proxy.address}`)).toBe("");
  expect((await ask(running.site)).status).toBe(200);
  expect(proxy.tunnels).toEqual([`upstream.invalid:${port}`]);
});

test.each([
  ["wants other credentials", { credentials: "user:other" }, "user:word@"],
  ["wants credentials where there are none", { credentials: "user:word" }, ""],
  ["refuses the target", { refusal: 2 }, ""],
] as [string, SocksProxyOptions, string][])("a proxy that %s is 502", async (_, options, user) => {
  const proxy = await startProxy(options);
  expect(await load(await listen(echo()), `socks5://${user}${proxy.address}`)).toBe("");
  expect((await ask(running.site)).status).toBe(502);
});

test("a proxy that is none is 502", async () => {
  const place = await listen(createTcpServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  expect(await load("127.0.0.1:9", `socks5://${place}`)).toBe("");
  expect((await ask(running.site)).status).toBe(502);
});

test("a user that SOCKS cannot tell is refused, and its text stays out of the message", async () => {
  const error = await load("127.0.0.1:9", `socks5://user:${"secret".repeat(50)}@127.0.0.1:9`);
  expect(error).toContain("longer than 255 bytes");
  expect(error).not.toContain("secret");
});

/** The bytes that a proxy with this answer gets, in pieces, and the fault that was found. */
function talk(
  dial: string,
  answers: Buffer,
  pieceBytes: number,
): { sent: Buffer; fault: string | undefined; rest: Buffer } {
  const sent: Buffer[] = [];
  const socket = new PassThrough();
  const read = socket.read.bind(socket);
  const pieces: Buffer[] = [];
  for (let at = 0; at < answers.length; at += pieceBytes) {
    pieces.push(answers.subarray(at, at + pieceBytes));
  }
  const fake = Object.assign(socket, {
    write: (chunk: Buffer) => sent.push(chunk) > 0,
    read: () => pieces.shift() ?? null,
  });
  let fault: string | undefined = "none was told";
  askForSocksTunnel(fake as never, parseDial(dial), undefined, (found) => {
    fault = found;
  });
  fake.emit("readable");
  return { sent: Buffer.concat(sent), fault, rest: (read() as Buffer | null) ?? Buffer.alloc(0) };
}

test("answers may come in pieces of any size, and what follows them stays in the socket", () => {
  const answers = Buffer.from([5, 0, 5, 0, 0, 4, ...Array<number>(16).fill(9), 0, 80, 7, 7, 7]);
  for (let size = 1; size <= answers.length; size++) {
    const { sent, fault } = talk("[2001:db8::1:2]:443", answers, size);
    expect(fault).toBeUndefined();
    expect(sent.toString("hex")).toBe(`05010005010004${"20010db8000000000000000000010002"}01bb`);
  }
});

test("whatever a proxy answers is a tunnel or a fault, or there is more to come", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 40 }), (bytes, size) => {
      const { fault } = talk("127.0.0.1:80", Buffer.from(bytes), size);
      expect(fault === undefined || fault.length > 0).toBe(true);
    }),
  );
});
