import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ServerError } from "server-core/errors";
import { Agent } from "undici";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeKey } from "../../../material/key-pair.ts";
import { AcmeClient } from "./acme-client.ts";

/** Path at which the authority refuses, and how. */
let refusal: { path: string; status: number; headers: Record<string, string>; body: string };
let asked: string[];
let agent: Agent;
let site: string;

function answer(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? "";
  asked.push(path);
  if (path !== "/directory") {
    response.setHeader("Replay-Nonce", `nonce-${asked.length}`);
  }
  if (path === refusal.path) {
    response.writeHead(refusal.status, { "Content-Type": "application/problem+json", ...refusal.headers });
    response.end(refusal.body);
  } else if (path === "/directory") {
    const urls = { newNonce: `${site}/nonce`, newAccount: `${site}/account`, newOrder: `${site}/order` };
    response.end(JSON.stringify(urls));
  } else {
    response.writeHead(path === "/account" ? 201 : 200, { Location: `${site}/account/1` }).end("{}");
  }
}

const server = createServer(answer);
beforeEach(async () => {
  asked = [];
  agent = new Agent();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await agent.destroy();
  server.close();
  await once(server, "close");
});

/** The outcome of an order. */
async function order(): Promise<unknown> {
  const client = new AcmeClient({
    directoryUrl: `${site}/directory`,
    dispatcher: agent,
    account: { key: await makeKey("p256"), kid: "" },
    signal: new AbortController().signal,
  });
  await client.register("");
  return client.newOrder({ identifiers: [] });
}

const rateLimited = JSON.stringify({
  type: "urn:ietf:params:acme:error:rateLimited",
  detail: "too many certificates already issued",
});

test.each([
  ["/directory", 503, "", /503 http:\/\/127.*directory \(not before /],
  ["/nonce", 503, "", /503 http:\/\/127.*nonce \(not before /],
  ["/account", 429, rateLimited, /^429 rateLimited: too many certificates already issued \(not before /],
  ["/order", 429, rateLimited, /^429 rateLimited: too many certificates already issued \(not before /],
])("an authority that refuses at %s says when to come again", async (path, status, body, message) => {
  refusal = { path, status, body, headers: { "Retry-After": "3600" } };
  const before = Date.now();
  const error = await order().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServerError);
  const { retryAtMs = 0, message: text } = error as ServerError;
  expect(retryAtMs).toBeGreaterThanOrEqual(before + 3_600_000);
  expect(retryAtMs).toBeLessThanOrEqual(Date.now() + 3_600_000);
  expect(text).toMatch(message);
  // The client does not retry by itself.
  expect(asked.filter((each) => each === path)).toHaveLength(1);
});

test("a date says it as well", async () => {
  const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 7_200_000);
  refusal = { path: "/order", status: 429, body: rateLimited, headers: { "Retry-After": at.toUTCString() } };
  await expect(order()).rejects.toMatchObject({ retryAtMs: at.getTime() });
});

test("one that refuses for good says nothing of it", async () => {
  refusal = { path: "/order", status: 403, body: "<p>no</p>", headers: {} };
  await expect(order()).rejects.toMatchObject({
    message: "403 about:blank: <p>no</p>",
    retryAtMs: undefined,
  });
});
