import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

const bodyBytes = 6 * 1024 * 1024;
const clients = 48;

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

/** A body that differs for each number. */
function bodyOf(number: number): Buffer {
  const words = new Uint32Array(bodyBytes / 4);
  for (let at = 0; at < words.length; at++) {
    words[at] = at * clients + number;
  }
  return Buffer.from(words.buffer);
}

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The digest of a client's download; a slow client reads nothing until `until`. */
async function download(number: number, until: Promise<unknown> | undefined): Promise<string> {
  const request = get(`${running.site}/${number}`, { agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  await until;
  const hash = createHash("sha256");
  for await (const chunk of response) {
    hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}

test.each([true, false])(
  "bodies of many clients, half of them slow, are not mixed up; chunked: %s",
  async (chunked) => {
    const upstream = createServer((request, response) => {
      const body = bodyOf(Number(request.url?.slice(1)));
      response.writeHead(200, chunked ? {} : { "Content-Length": body.length });
      response.end(body);
    });
    onTestFinished(() => void upstream.close());
    upstream.listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const dial = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const handler = { handler: "reverse_proxy", upstreams: [{ dial }] };
    expect((await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).error).toBe("");
    const fastOnes = Promise.withResolvers<void>();
    const numbers = Array.from({ length: clients }, (_, index) => index);
    const slow = numbers
      .filter((number) => number % 2 === 1)
      .map((number) => download(number, fastOnes.promise));
    const fast = numbers.filter((number) => number % 2 === 0).map((number) => download(number, undefined));
    const ofFast = await Promise.all(fast);
    fastOnes.resolve();
    const ofSlow = await Promise.all(slow);
    expect(numbers.map((number) => (number % 2 === 0 ? ofFast : ofSlow)[number >> 1])).toEqual(
      numbers.map((number) => digest(bodyOf(number))),
    );
  },
);
