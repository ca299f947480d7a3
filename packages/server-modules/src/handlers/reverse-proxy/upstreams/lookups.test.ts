import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

/** A name server. @param answer returns the answer to a question; undefined: no answer */
async function nameServer(
  answer: (question: Buffer) => Buffer | undefined,
): Promise<{ address: string; asked: () => number }> {
  let asked = 0;
  const socket: Socket = createSocket("udp4");
  onTestFinished(() => void socket.close());
  socket.on("message", (question, { port, address }) => {
    asked++;
    const bytes = answer(question);
    if (bytes !== undefined) {
      socket.send(bytes, port, address);
    }
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { address: `127.0.0.1:${socket.address().port}`, asked: () => asked };
}

/** An answer with one SRV record, of the name "localhost". */
function srvAnswer(question: Buffer, port: number): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(1, 6);
  head.writeUInt16BE(0, 10);
  const target = Buffer.from("\x09localhost\x00", "latin1");
  const record = Buffer.alloc(18);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(33, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(6 + target.length, 10);
  record.writeUInt16BE(port, 16);
  return Buffer.concat([head, record, target]);
}

/** An answer to a question for A records with one record for each address; without records for any other question. */
function addressAnswer(question: Buffer, addresses: readonly string[]): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const found = question.readUInt16BE(end - 4) === 1 ? addresses : [];
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(found.length, 6);
  head.writeUInt16BE(0, 10);
  // Name of the question, type A, class IN, 60 seconds, four bytes.
  const record = Buffer.from("c00c000100010000003c0004", "hex");
  return Buffer.concat([
    head,
    ...found.flatMap((address) => [record, Buffer.from(address.split(".").map(Number))]),
  ]);
}

async function load(dynamic: object): Promise<void> {
  const handler = { handler: "reverse_proxy", dynamic_upstreams: dynamic };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).error).toBe("");
}

test.each(["a", "srv"])(
  "dial_timeout ends the wait for a name server of %s that says nothing",
  async (source) => {
    const silent = await nameServer(() => undefined);
    await load({
      source,
      name: "up.example",
      dial_timeout: "20ms",
      resolver: { addresses: [silent.address] },
    });
    // The requests are concurrent, because one after the other they would exceed the test's time limit.
    const answers = await Promise.all(Array.from({ length: 3 }, () => ask(running.site)));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(silent.asked()).toBeGreaterThan(0);
  },
);

test("dial_network says which addresses of a found name are dialed", async () => {
  const upstream = createServer((request, response) => response.end(request.socket.remoteFamily));
  onTestFinished(() => void upstream.close());
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  const names = await nameServer((question) => srvAnswer(question, port));
  const dynamic = { source: "srv", name: "up.example", resolver: { addresses: [names.address] } };
  await load({ ...dynamic, dial_network: "tcp4" });
  expect(await ask(running.site)).toMatchObject({ status: 200, text: "IPv4" });
  await load({ ...dynamic, dial_network: "tcp6" });
  expect((await ask(running.site)).status).toBe(502);
});

test.each(["a", "srv"])("a delay below zero is none to a look-up of %s, and loads", async (source) => {
  const dynamic = { source, name: "upstream.example", port: "80", dial_fallback_delay: -1_000_000_000 };
  const { port: _port, ...service } = dynamic;
  const handle = [
    { handler: "reverse_proxy", dynamic_upstreams: source === "a" ? dynamic : { ...service, proto: "tcp" } },
  ];
  const answer = await running.admin("POST", "/load", siteConfig({ handle }));
  expect([answer.status, answer.text]).toEqual([200, ""]);
});

/** Upstreams at several addresses and one port, which answer with their address. */
async function upstreamsAt(addresses: readonly string[]): Promise<number> {
  let port = 0;
  for (const address of addresses) {
    const upstream = createServer((_, response) => response.end(address));
    onTestFinished(() => void upstream.close());
    upstream.listen(port, address);
    await once(upstream, "listening");
    port = (upstream.address() as AddressInfo).port;
  }
  return port;
}

/** Asks until exactly these upstreams answer ten requests in a row. */
async function answering(expected: readonly string[]): Promise<void> {
  await expect
    .poll(
      async () => {
        const answers = await Promise.all(Array.from({ length: 10 }, () => ask(running.site)));
        return [...new Set(answers.map(({ text }) => text))].sort();
      },
      { timeout: 60_000, interval: 20 },
    )
    .toEqual(expected);
}

test("addresses that a name server tells later get requests after a refresh, those that it tells no more get none", async () => {
  const [one = "", two = "", three = ""] = ["127.0.0.1", "127.0.0.2", "127.0.0.3"];
  const port = await upstreamsAt([one, two, three]);
  let told = [one];
  const names = await nameServer((question) => addressAnswer(question, told));
  await load({
    ...{ source: "a", name: "up.example", port: String(port), refresh: "50ms" },
    resolver: { addresses: [names.address] },
  });
  await answering([one]);
  told = [one, two, three];
  await answering([one, two, three]);
  told = [three];
  await answering([three]);
  // There is one look-up for each refresh, not one for each request.
  const before = names.asked();
  const begin = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => ask(running.site)));
  const refreshes = Math.ceil((performance.now() - begin) / 50) + 1;
  // Each thread queries both kinds of addresses.
  expect(names.asked() - before).toBeLessThanOrEqual(2 * 2 * refreshes);
});
