// The app over real sockets: routes, handlers, reload, one failure domain a connection.

import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { freeAddresses } from "lifecycle/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer } from "../../admin-server/src/testing/running-server.ts";
import {
  addressOf,
  connected,
  exchange,
  layer4Config,
  namedUpstream,
  portOf,
} from "./testing/layer4-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function load(routes: unknown[], more: object = {}): Promise<number> {
  expect(await running.admin("POST", "/load", layer4Config(routes, more))).toMatchObject({ status: 200 });
  return portOf(running);
}

const to = (...upstreams: string[]) => ({
  handler: "proxy",
  upstreams: upstreams.map((dial) => ({ dial: [dial] })),
});
const echo = { handler: "echo" };
const hello = { handler: "static_response", body: "hello" };

async function upstream(
  name: string,
  ...more: Parameters<typeof namedUpstream> extends [string, ...infer R] ? R : never
) {
  const server = await namedUpstream(name, ...more);
  onTestFinished(() => void server.close());
  return server;
}

test("a connection is sent back, to its last byte", async () => {
  const port = await load([{ handle: [echo] }]);
  const long = "x".repeat(1_000_000);
  expect(await exchange(port, long)).toBe(long);
});

test("each protocol goes its way by its first bytes", async () => {
  const [ssh, web, other] = [await upstream("ssh"), await upstream("web"), await upstream("other")];
  const port = await load([
    { match: [{ ssh: {} }], handle: [to(addressOf(ssh))] },
    { match: [{ http: [{ host: ["a.test"] }] }], handle: [to(addressOf(web))] },
    { handle: [to(addressOf(other))] },
  ]);
  expect(await exchange(port, "SSH-2.0-x\r\n")).toBe("ssh:SSH-2.0-x\r\n");
  const request = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
  expect(await exchange(port, request)).toBe(`web:${request}`);
  expect(await exchange(port, request.replace("a.test", "b.test"))).toMatch(/^other:GET/);
  expect(await exchange(port, "\0\x01binary")).toBe("other:\0\x01binary");
});

test("bytes that come one by one are waited for, and none is lost", async () => {
  const ssh = await upstream("ssh");
  const port = await load([{ match: [{ ssh: {} }], handle: [to(addressOf(ssh))] }, { handle: [echo] }]);
  const socket = await connected(port);
  const answer = text(socket);
  for (const byte of "SSH-2.0") {
    socket.write(byte);
    await new Promise(setImmediate);
  }
  socket.end();
  expect(await answer).toBe("ssh:SSH-2.0");
});

test("a client that says nothing is cut off after matching_timeout, others are served meanwhile", async () => {
  const port = await load([{ match: [{ ssh: {} }], handle: [echo] }], { matching_timeout: "80ms" });
  const silent = await connected(port);
  expect(await exchange(port, "SSH-2.0")).toBe("SSH-2.0");
  await once(silent.resume(), "close");
});

test("a connection that no route takes is closed", async () => {
  const port = await load([{ match: [{ ssh: {} }], handle: [echo] }]);
  expect(await exchange(port, "hello", false)).toBe("");
});

test("TLS ends here: SNI chooses, inner bytes are matched again, placeholders say who", async () => {
  const seen = await upstream("inner");
  const port = await load([
    { match: [{ tls: { sni: ["localhost"] } }], handle: [{ handler: "tls" }] },
    { match: [{ ssh: {} }], handle: [to(addressOf(seen))] },
    { match: [{ vars: { "{l4.tls.server_name}": ["localhost"] } }], handle: [echo] },
  ]);
  const speak = async (bytes: string) => {
    const socket = connectTls({
      port,
      host: "127.0.0.1",
      servername: "localhost",
      rejectUnauthorized: false,
    });
    await once(socket, "secureConnect");
    const answer = text(socket);
    socket.end(bytes);
    return answer;
  };
  const config = layer4Config([]) as { apps: Record<string, unknown> };
  config.apps.tls = {
    automation: { policies: [{ issuers: [{ module: "internal" }] }] },
    certificates: { automate: ["localhost"] },
  };
  expect(await running.admin("PUT", "/config/apps/tls", config.apps.tls)).toMatchObject({ status: 200 });
  expect(await speak("SSH-2.0-inside")).toBe("inner:SSH-2.0-inside");
  expect(await speak("plain")).toBe("plain");
});

test("an upstream that is away: the next one is tried, and passive checks leave it out", async () => {
  const dead = await upstream("dead");
  const deadAddress = addressOf(dead);
  dead.close();
  await once(dead, "close");
  const alive = await upstream("alive");
  const port = await load([
    {
      handle: [
        {
          ...to(deadAddress, addressOf(alive)),
          load_balancing: { selection: { policy: "first" }, try_duration: "2s", try_interval: "1ms" },
          health_checks: { passive: { fail_duration: "1m" } },
        },
      ],
    },
  ]);
  expect(await exchange(port, "a")).toBe("alive:a");
  const shown = JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams")).text) as object[];
  expect(shown).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ address: deadAddress, fails: 1 }),
      expect.objectContaining({ address: addressOf(alive), num_requests: 0 }),
    ]),
  );
});

test("policies of the HTTP proxy share connections out", async () => {
  const servers = [await upstream("a"), await upstream("b"), await upstream("c")];
  const selection = { policy: "round_robin" };
  const port = await load([
    { handle: [{ ...to(...servers.map(addressOf)), load_balancing: { selection } }] },
  ]);
  const names = [];
  for (let round = 0; round < 6; round++) {
    names.push((await exchange(port, "")).replace(":", ""));
  }
  expect(names.join("")).toBe("bcabca");
});

test("weights of upstreams count", async () => {
  const servers = [await upstream("a"), await upstream("b")];
  const weights = [3, 1];
  const upstreams = servers.map((server, index) => ({ dial: [addressOf(server)], weight: weights[index] }));
  const selection = { policy: "weighted_round_robin" };
  const port = await load([{ handle: [{ handler: "proxy", upstreams, load_balancing: { selection } }] }]);
  const names = [];
  for (let round = 0; round < 8; round++) {
    names.push((await exchange(port, "")).replace(":", ""));
  }
  expect(names.filter((name) => name === "a")).toHaveLength(6);
});

test("an active check finds an upstream that is away, and cuts its connections where the config says so", async () => {
  const sockets: { destroy(): void }[] = [];
  const server = await upstream("up", (socket) => sockets.push(socket));
  const active = { interval: "20ms", close_if_unhealthy: true };
  const port = await load([{ handle: [{ ...to(addressOf(server)), health_checks: { active } }] }]);
  const client = await connected(port);
  await once(client, "data");
  server.close();
  await once(client.resume(), "close");
});

test("a PROXY protocol header that comes byte by byte is taken off whole", async () => {
  const port = await load([{ handle: [{ handler: "proxy_protocol", allow: ["127.0.0.0/8"] }, echo] }]);
  const socket = await connected(port);
  const answer = text(socket);
  for (const byte of "PROXY TCP4 192.0.2.7 192.0.2.8 1234 80\r\nhello") {
    socket.write(byte);
    await new Promise(setImmediate);
  }
  socket.end();
  expect(await answer).toBe("hello");
});

test("the upstream gets a PROXY protocol header, and one that came in is believed from who may send it", async () => {
  const seen = await upstream("seen");
  const taken = { handler: "proxy_protocol", allow: ["127.0.0.0/8"] };
  const port = await load([{ handle: [taken, { ...to(addressOf(seen)), proxy_protocol: "v1" }] }]);
  const header = "PROXY TCP4 192.0.2.7 192.0.2.8 4321 80\r\n";
  expect(await exchange(port, `${header}rest`)).toBe(
    `seen:PROXY TCP4 192.0.2.7 127.0.0.1 4321 ${port}\r\nrest`,
  );
  expect(await exchange(port, "PROXY nonsense\r\n")).toBe("");
  expect(await exchange(port, "rest")).toMatch(/^seen:PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+\r\nrest$/);
});

test("a branch gets every byte that the next handler gets", async () => {
  const got = Promise.withResolvers<string>();
  const aside = await upstream("aside", (socket) => void text(socket).then(got.resolve));
  const main = await upstream("main");
  const port = await load([
    { handle: [{ handler: "tee", branch: [to(addressOf(aside))] }, to(addressOf(main))] },
  ]);
  const long = "y".repeat(300_000);
  expect(await exchange(port, long)).toContain(long.slice(0, 1000));
  expect(await got.promise).toBe(long);
});

test("several addresses of an upstream get the same bytes", async () => {
  const got: Promise<string>[] = [];
  const servers = [
    await upstream("a", (s) => got.push(text(s))),
    await upstream("b", (s) => got.push(text(s))),
  ];
  const upstreams = [{ dial: servers.map(addressOf) }];
  const port = await load([{ handle: [{ handler: "proxy", upstreams }] }]);
  await exchange(port, "both");
  expect(await Promise.all(got)).toEqual(["both", "both"]);
});

test("reading is slowed down to its rate", async () => {
  const rates = { read_bytes_per_second: 100_000, read_burst_size: 1_000 };
  const port = await load([{ handle: [{ handler: "throttle", ...rates }, echo] }]);
  const startedAt = performance.now();
  expect(await exchange(port, "z".repeat(11_000))).toHaveLength(11_000);
  expect(performance.now() - startedAt).toBeGreaterThan(90);
});

test("a reload: open connections stay with their config, new ones get the new one, none is refused", async () => {
  const config = (name: string) => [{ handle: [{ handler: "vars", who: name }, to("{l4.vars.who}")] }];
  const [old, fresh] = [await upstream("old"), await upstream("new")];
  const port = await load(config(addressOf(old)));
  const open = await connected(port);
  await once(open, "data");
  expect(await load(config(addressOf(fresh)))).toBe(port);
  expect(await exchange(port, "x")).toBe("new:x");
  open.write("still");
  expect(String((await once(open, "data"))[0])).toBe("still");
  open.destroy();
});

test("an address that another app has is refused, and nothing changes", async () => {
  const port = await load([{ handle: [echo] }]);
  const listen = [`127.0.0.1:${port}`];
  const both = {
    apps: {
      http: { servers: { h: { listen: [`:${port}`] } } },
      layer4: { servers: { s: { listen, routes: [{ handle: [echo] }] } } },
    },
  };
  const answer = await running.admin("POST", "/load", both);
  expect([answer.status, answer.error]).toEqual([
    400,
    expect.stringContaining(`app layer4: 127.0.0.1:${port}: the app http listens on :${port} already`),
  ]);
  expect(await exchange(port, "same")).toBe("same");
});

test.each([
  ["no upstream", { handler: "proxy" }, "no upstreams defined"],
  ["an address that is none", to("nowhere"), "is not host:port"],
  ["a handler that is none", { handler: "nope" }, "unknown module: layer4.handlers.nope"],
])("%s is refused with its place", async (_name, handler, message) => {
  const answer = await running.admin("POST", "/load", layer4Config([{ handle: [handler] }]));
  expect([answer.status, answer.error]).toEqual([400, expect.stringContaining(message)]);
  expect(answer.error).toContain("route 0");
});

test("HTTP goes through to an upstream that keeps its connection", async () => {
  const server = createHttpServer((request, response) => response.end(`${request.url}`)).listen(
    0,
    "127.0.0.1",
  );
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const port = await load([{ handle: [to(`127.0.0.1:${(server.address() as AddressInfo).port}`)] }]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => (await fetch(`http://127.0.0.1:${port}/${index}`)).text()),
  );
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => `/${index}`));
  server.closeAllConnections();
});

test("a client that is gone, or has ended, before its upstream answers leaves nothing behind", async () => {
  const seen = Promise.withResolvers<string>();
  const server = await upstream("late", (socket) => void text(socket).then(seen.resolve));
  const taken = { handler: "proxy_protocol", allow: ["127.0.0.0/8"] };
  const port = await load([
    { handle: [taken, { handler: "throttle", latency: "30ms" }, to(addressOf(server))] },
  ]);
  // Balancers check with a header and an end.
  expect(await exchange(port, "PROXY UNKNOWN\r\n")).toBe("late:");
  expect(await seen.promise).toBe("");
  const gone = await connected(port);
  gone.resetAndDestroy();
  const counts = async () =>
    (
      JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams")).text) as {
        address: string;
        num_requests: number;
      }[]
    )
      .filter(({ address }) => address === addressOf(server))
      .map(({ num_requests }) => num_requests);
  await expect.poll(counts).toEqual([0]);
});

test("two worker threads share an address, and certificates reach both", async () => {
  const tls = {
    automation: { policies: [{ issuers: [{ module: "internal" }] }] },
    certificates: { automate: ["localhost"] },
  };
  const routes = [{ match: [{ tls: {} }], handle: [{ handler: "tls" }, echo] }, { handle: [echo] }];
  const config = layer4Config(routes) as { apps: Record<string, unknown> };
  const two = await RunningServer.start({ apps: { ...config.apps, tls } }, {}, 2);
  onTestFinished(() => two.close());
  const port = portOf(two);
  expect(
    await Promise.all(Array.from({ length: 30 }, (_, index) => exchange(port, `plain ${index}`))),
  ).toEqual(Array.from({ length: 30 }, (_, index) => `plain ${index}`));
  const secured = Array.from({ length: 10 }, async (_, index) => {
    const socket = connectTls({
      port,
      host: "127.0.0.1",
      servername: "localhost",
      rejectUnauthorized: false,
    });
    await once(socket, "secureConnect");
    const answer = text(socket);
    socket.end(`secret ${index}`);
    return answer;
  });
  expect(await Promise.all(secured)).toEqual(Array.from({ length: 10 }, (_, index) => `secret ${index}`));
});

test.each([1, 2])("a port goes from one app to another and back, with %i worker threads", async (threads) => {
  const [address = ""] = await freeAddresses(1);
  const port = Number(address.split(":").at(-1));
  const web = { http: { servers: { web: { listen: [address], routes: [{ handle: [hello] }] } } } };
  const { apps } = layer4Config([{ handle: [echo] }]) as { apps: { layer4: { servers: object } } };
  const [server] = Object.values(apps.layer4.servers);
  const raw = { layer4: { servers: { raw: { ...server, listen: [address] } } } };
  const moving = await RunningServer.start({ apps: {} }, {}, threads);
  onTestFinished(() => moving.close());
  const loadApps = async (next: object) =>
    expect(await moving.admin("POST", "/load", { apps: next })).toMatchObject({ status: 200 });
  for (let round = 0; round < 3; round++) {
    await loadApps(web);
    expect(await (await fetch(`http://${address}`, { headers: { connection: "close" } })).text()).toBe(
      "hello",
    );
    await loadApps(raw);
    expect(await exchange(port, "bytes")).toBe("bytes");
  }
  await loadApps({});
  const next = createServer().listen(port, "127.0.0.1");
  await once(next, "listening");
  next.close();
});
