import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

/** The received pieces of a response whose upstream sends "a" and "b", and then "c" after a signal. */
async function pieces(
  flushInterval: unknown,
  headers: Record<string, string>,
  awaited: string,
): Promise<string[]> {
  const sendLast = Promise.withResolvers<void>();
  const listener: RequestListener = async (_, response) => {
    response.writeHead(200, headers);
    response.write("a");
    await new Promise(setImmediate);
    response.write("b");
    await sendLast.promise;
    response.end("c");
  };
  const upstream = createServer(listener);
  onTestFinished(() => void upstream.close());
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const handler = {
    handler: "reverse_proxy",
    upstreams: [{ dial: `127.0.0.1:${(upstream.address() as AddressInfo).port}` }],
    flush_interval: flushInterval,
  };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).error).toBe("");
  const socket = connect(Number(new URL(running.site).port), "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const found: string[] = [];
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    found.push(chunk.toString());
    if (text.includes(awaited)) {
      sendLast.resolve();
    }
  });
  await once(socket, "close");
  return found;
}

const known = { "Content-Length": "3" };

test.each([
  ["-1", -1, known],
  ["none", undefined, known],
  [
    "a long one, for a stream of events",
    "1h",
    { ...known, "Content-Type": "text/event-stream; charset=utf-8" },
  ],
  ["a long one, for a response that is to come as it is made", "1h", { ...known, Incremental: "?1" }],
  ["a long one, for a response of unknown length", "1h", {}],
])("with %s what came is sent on before there is more", async (_, interval, headers) => {
  // The upstream ends its response only once "b" has arrived.
  expect((await pieces(interval, headers as Record<string, string>, "b")).length).toBeGreaterThan(1);
});

test("with an interval head and bytes wait for it, and come together", async () => {
  const [first] = await pieces("20ms", known, "b");
  expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nab?$/);
});
