import { createHash, randomBytes } from "node:crypto";
import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { deadAddress, UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
/** Answers with the hash of the body that it received. */
let upstream: UpstreamServer;
beforeAll(async () => {
  running = await RunningServer.start();
  upstream = await UpstreamServer.start(async (request, response) => {
    response.end(hash(await buffer(request)));
  });
});
afterAll(async () => {
  await upstream.kill();
  await running.close();
});

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function proxyTo(addresses: readonly string[], more: object): Promise<void> {
  const handler = { handler: "reverse_proxy", upstreams: addresses.map((dial) => ({ dial })), ...more };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).error).toBe("");
}

/** Sends a body in two parts. */
function post(body: Buffer, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(running.site, { method: "POST", headers, agent: false }, (response) =>
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, text: answer }), reject),
    );
    request.once("error", reject);
    request.write(body.subarray(0, 1000));
    setImmediate(() => request.end(body.subarray(1000)));
  });
}

const body = randomBytes(200_000);
const sized = { "Content-Length": String(body.length) };
const chunked = { "Transfer-Encoding": "chunked" };
const retries = { selection_policy: { policy: "first" }, retries: 2, try_interval: 1 };

test.each<[string, Record<string, string>, number, object]>([
  ["a body over the limit", sized, 4096, retries],
  ["a chunked body over the limit", chunked, 4096, retries],
  ["a body of which all is read", sized, 1_000_000, retries],
  ["a limit of one byte", chunked, 1, retries],
  ["no retries asked for", sized, 4096, { selection_policy: { policy: "first" } }],
])("%s goes to the next upstream when the first refuses", async (_, headers, bytes, load_balancing) => {
  const addresses = [await deadAddress(), await deadAddress(), upstream.address];
  await proxyTo(addresses, { request_buffers: bytes, load_balancing });
  expect(await post(body, headers)).toEqual({ status: 200, text: hash(body) });
});

test("a body of which an upstream had some goes to no other", async () => {
  const breaking = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.resetAndDestroy());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => breaking.once("listening", resolve));
  const address = `127.0.0.1:${(breaking.address() as { port: number }).port}`;
  const load_balancing = { ...retries, retry_match: [{ method: ["POST"] }] };
  await proxyTo([address, upstream.address], { request_buffers: 4096, load_balancing });
  expect((await post(body, sized)).status).toBe(502);
  breaking.close();
});
