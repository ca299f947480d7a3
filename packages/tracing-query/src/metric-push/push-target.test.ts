import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createLogger } from "lifecycle";
import { expect, onTestFinished, test } from "vitest";
import { type OlderForm, PushTarget, retryAfterMs } from "./push-target.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

/** A receiver that answers with `answers` in turn, then with 204. */
async function receiver(answers: readonly ((response: ServerResponse) => void)[]) {
  const received: string[] = [];
  const times: number[] = [];
  const left = [...answers];
  const server = createServer(async (request: IncomingMessage, response) => {
    let text = "";
    for await (const chunk of request) {
      text += String(chunk);
    }
    received.push(text);
    times.push(performance.now());
    const answer = left.shift();
    if (answer === undefined) {
      response.writeHead(204).end();
    } else {
      answer(response);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/write`;
  return { url, received, times };
}

const body = (text: string, series = 1) => ({ bytes: Buffer.from(text), series });
const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end("why");

function targetOf(url: string, parts: { mostWaitingBytes?: number; firstPauseMs?: number } = {}) {
  const target = new PushTarget({ url, headers: {} }, { log, firstPauseMs: 1, ...parts });
  onTestFinished(() => target.close(AbortSignal.abort()));
  return target;
}

test("sends a body again after 5xx, 429 and a cut connection, and keeps the order", async () => {
  const { url, received } = await receiver([status(503), status(429), (response) => void response.destroy()]);
  const target = targetOf(url);
  target.submit(body("a", 2));
  target.submit(body("b", 3));
  await expect.poll(() => target.counts.sent).toBe(5);
  expect(received).toEqual(["a", "a", "a", "a", "b"]);
  expect(target.counts).toEqual({ sent: 5, refused: 0, dropped: 0, failedRequests: 3 });
  expect(target.error).toBe(undefined);
});

test("waits as long as Retry-After says, and no shorter", async () => {
  const { url, times } = await receiver([status(429, { "retry-after": "1" })]);
  const target = targetOf(url);
  target.submit(body("a"));
  await expect.poll(() => target.counts.sent, { timeout: 60_000 }).toBe(1);
  const [first = 0, second = 0] = times;
  // Timers may fire a millisecond early.
  expect(second - first).toBeGreaterThan(990);
});

test.each([400, 401, 404, 413, 422])("counts series that are refused with %i, and goes on", async (code) => {
  const { url, received } = await receiver([status(code)]);
  const target = targetOf(url);
  target.submit(body("bad", 7));
  target.submit(body("good", 2));
  await expect.poll(() => target.counts.sent).toBe(2);
  expect(target.counts).toMatchObject({ refused: 7, failedRequests: 0 });
  expect(received).toEqual(["bad", "good"]);
});

test("drops the oldest bodies that wait when there are too many bytes, and counts them", async () => {
  const { url, received } = await receiver([(response) => setTimeout(() => status(503)(response), 200)]);
  const target = targetOf(url, { mostWaitingBytes: 25 });
  for (const letter of "abcdefgh") {
    target.submit(body(letter.repeat(10), 1));
  }
  expect(target.waitingBytes).toBeLessThanOrEqual(25);
  await expect.poll(() => target.counts.sent).toBe(2);
  expect(received.map((text) => text[0])).toEqual(["a", "a", "h"]);
  expect(target.counts.dropped).toBe(6);
  expect(target.waitingBytes).toBe(0);
});

test("sends what waits when it is closed, and gives up on a target that is away", async () => {
  const { url, received } = await receiver([]);
  const target = targetOf(url);
  target.submit(body("a"));
  target.submit(body("b"));
  await target.close(new AbortController().signal);
  expect(received).toEqual(["a", "b"]);
  target.submit(body("c"));
  expect(received).toHaveLength(2);

  const away = targetOf("http://127.0.0.1:9/write", { firstPauseMs: 60_000 });
  away.submit(body("a", 4));
  await expect.poll(() => away.counts.failedRequests).toBe(1);
  await away.close(new AbortController().signal);
  expect(away.counts.dropped).toBe(4);
});

const older: OlderForm = {
  headers: { "x-form": "older" },
  convert: (bytes) => Buffer.from(`older ${bytes.toString()}`),
  knowsNewer: (headers) => headers["x-written"] !== undefined,
};

test.each([
  ["415", status(415)],
  ["a success that counts nothing", status(204)],
])("sends the older form after %s, from that body on", async (_, answer) => {
  const { url, received } = await receiver([answer, status(503), status(200)]);
  const target = new PushTarget({ url, headers: {}, older }, { log, firstPauseMs: 1 });
  target.submit(body("a", 2));
  target.submit(body("b", 3));
  await expect.poll(() => target.counts.sent).toBe(5);
  expect(received).toEqual(["a", "older a", "older a", "older b"]);
  expect(target.counts).toEqual({ sent: 5, refused: 0, dropped: 0, failedRequests: 1 });
});

test("keeps the newer form for a target that counts what it wrote, and after other refusals", async () => {
  const { url, received } = await receiver([
    status(400),
    status(500),
    status(200, { "x-written": "0" }),
    status(204, { "x-written": "1" }),
  ]);
  const target = new PushTarget({ url, headers: {}, older }, { log, firstPauseMs: 1 });
  for (const letter of "abc") {
    target.submit(body(letter));
  }
  await expect.poll(() => target.counts.sent).toBe(2);
  expect(received).toEqual(["a", "b", "b", "c"]);
  expect(target.counts).toMatchObject({ refused: 1, failedRequests: 1 });
});

test("a target that refuses both forms refuses the series", async () => {
  const { url, received } = await receiver([status(415), status(415)]);
  const target = new PushTarget({ url, headers: {}, older }, { log, firstPauseMs: 1 });
  target.submit(body("a", 4));
  await expect.poll(() => target.counts.refused).toBe(4);
  expect(received).toEqual(["a", "older a"]);
});

test.each([
  ["2", 2_000],
  ["0", 0],
  ["99999999", 900_000],
  ["Thu, 01 Jan 1970 00:00:05 GMT", 4_000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["soon", undefined],
])("reads Retry-After: %s", (header, ms) => {
  expect(retryAfterMs(header, 1_000)).toBe(ms);
});
