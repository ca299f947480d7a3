// Own addresses of dials over real sockets, and the errors of what cannot be.

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer } from "../../../admin-server/src/testing/running-server.ts";
import { addressOf, exchange, layer4Config, namedUpstream, portOf } from "../testing/layer4-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

function load(upstream: object) {
  const routes = [{ handle: [{ handler: "proxy", upstreams: [upstream] }] }];
  return running.admin("POST", "/load", layer4Config(routes));
}

// Other systems have 127.0.0.1 alone.
const onLinux = test.skipIf(process.platform !== "linux");

onLinux.each([
  ["an own address", { local_address: ["127.0.0.5"] }, "127.0.0.1", "127.0.0.5"],
  ["the one of the upstream's family", { local_address: ["::1", "127.0.0.6"] }, "127.0.0.1", "127.0.0.6"],
  ["a placeholder", { local_address: ["{l4.vars.none}", "127.0.0.7"] }, "127.0.0.1", "127.0.0.7"],
  ["a name, by IPv4", { resolver_preference: "ipv4_only" }, "localhost", "127.0.0.1"],
  [
    "IPv6 before IPv4",
    { resolver_preference: "ipv6_first", local_address: ["127.0.0.8"] },
    "localhost",
    "127.0.0.8",
  ],
])("an upstream is dialed from %s (needs Linux)", async (_, options, host, expected) => {
  const seen: (string | undefined)[] = [];
  const upstream = await namedUpstream("up", ({ remoteAddress }) => void seen.push(remoteAddress));
  onTestFinished(() => void upstream.close());
  const dial = [addressOf(upstream).replace("127.0.0.1", host)];
  expect(await load({ dial, ...options })).toMatchObject({ status: 200 });
  expect(await exchange(portOf(running), "hi")).toBe("up:hi");
  expect(seen).toEqual([expected]);
});

test("a family that the upstream does not have is no way to it", async () => {
  const upstream = await namedUpstream("up");
  onTestFinished(() => void upstream.close());
  const answer = await load({ dial: [addressOf(upstream)], resolver_preference: "ipv6_only" });
  expect(answer).toMatchObject({ status: 200 });
  expect(await exchange(portOf(running), "hi")).toBe("");
});

test.each([
  [{ dial: ["a:1"], local_address: ["eth0"] }, "is no IP address without a port"],
  [{ dial: ["a:1"], local_address: ["127.0.0.1:80"] }, "is no IP address without a port"],
  [{ dial: ["unix//x"], local_address: ["127.0.0.1"] }, "not supported for unix sockets"],
  [
    { dial: ["a:1"], local_address: ["127.0.0.1"], resolver_preference: "ipv6_only" },
    "needs a local_address of its family",
  ],
  [{ dial: ["a:1"], resolver_preference: "ipv5" }, "resolver_preference"],
])("%j is refused", async (upstream, message) => {
  const { status, error } = await load(upstream);
  expect({ status, error }).toEqual({ status: 400, error: expect.stringContaining(message) });
});
