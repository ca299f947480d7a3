import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createLogger } from "lifecycle";
import { type AdminReply, type AdminRequest, jsonReply } from "server-core/admin/admin-message";
import { ServerError } from "server-core/errors";
import { rawRequest } from "server-core/testing/raw-request";
import { expect, test } from "vitest";
import { AdminHandler } from "./admin-handler.ts";
import { AdminListener } from "./admin-listener.ts";

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });

/** An endpoint that does not admit requests yet, and a request that it has received. */
async function withEarlyRequest(): Promise<{ listener: AdminListener; answer: Promise<string> }> {
  const route = { path: "/x", handle: () => ({ status: 200, body: "ok" }) };
  const listener = new AdminListener(new AdminHandler([route]), log);
  const address = await listener.open({ network: "tcp", host: "127.0.0.1", port: 0 });
  const port = address.network === "tcp" ? address.port : 0;
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  await new Promise((resolve) =>
    socket.write("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", resolve),
  );
  // Both hosts are refused for every client; this answer comes after the previous request was received.
  const later = await rawRequest(
    `http://127.0.0.1:${port}`,
    "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n",
  );
  expect(later).toMatch(/^HTTP\/1.1 400 /);
  return { listener, answer: text(socket) };
}

test("requests wait until the config that opened the endpoint runs", async () => {
  const { listener, answer } = await withEarlyRequest();
  listener.admit({ check: () => ({}), permit: () => {} });
  expect(await answer).toMatch(/^HTTP\/1.1 200 [\s\S]*ok$/);
  await listener.close();
});

test("when that config is refused, they are told", async () => {
  const { listener, answer } = await withEarlyRequest();
  await listener.close();
  expect(await answer).toMatch(/^HTTP\/1.1 503 [\s\S]*"the config that opens this endpoint does not run"/);
});

test.each([
  [
    "FOO /config/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "405 Method Not Allowed",
    '{"error":"method FOO not allowed"}\n',
  ],
  [
    "get /config/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "405 Method Not Allowed",
    '{"error":"method get not allowed"}\n',
  ],
  ["F(O /config/ HTTP/1.1\r\nHost: x\r\n\r\n", "400 Bad Request", ""],
  ["\x16\x03\x01\r\n\r\n", "400 Bad Request", ""],
  [`GET / HTTP/1.1\r\nX: ${"x".repeat(70_000)}\r\n\r\n`, "431 Request Header Fields Too Large", ""],
])("%.20j is answered with %s", async (request, status, body) => {
  const listener = new AdminListener(new AdminHandler([]), log);
  const address = await listener.open({ network: "tcp", host: "127.0.0.1", port: 0 });
  listener.admit({ check: () => ({}), permit: () => {} });
  const port = address.network === "tcp" ? address.port : 0;
  const answer = await rawRequest(`http://127.0.0.1:${port}`, request);
  expect(answer.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
  expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toBe(body);
  await listener.close();
});

test("what a route asks in the name of its client has the client's rights, also at the turn of a change", async () => {
  const asked: [string, string][] = [];
  const asking = {
    path: "/asks",
    handle: async (request: AdminRequest) => {
      const answers: AdminReply[] = [];
      for (const [method, path] of [
        ["GET", "/open"],
        ["DELETE", "/open"],
        ["GET", "/secret"],
        ["GET", "/open/../secret"],
        ["GET", "/asks"],
      ] as const) {
        answers.push(await request.ask({ method, path }));
      }
      return jsonReply(
        200,
        answers.map(({ status }) => status),
      );
    },
  };
  const open = {
    path: "/open",
    handle(request: AdminRequest) {
      request.admit();
      asked.push([request.author, request.method]);
      return { status: 204 };
    },
  };
  const secret = { path: "/secret", handle: () => ({ status: 200, body: "secret" }) };
  const listener = new AdminListener(new AdminHandler([asking, open, secret]), log);
  const address = await listener.open({ network: "tcp", host: "127.0.0.1", port: 0 });
  listener.admit({
    check: () => ({}),
    permit(_request, path, method) {
      if (path === "/secret" || method === "DELETE") {
        throw new ServerError("ADMIN_FORBIDDEN", "no");
      }
    },
  });
  const port = address.network === "tcp" ? address.port : 0;
  const answer = await rawRequest(
    `http://127.0.0.1:${port}`,
    "GET /asks HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  );
  // A request about a request is refused, so that there is no endless chain.
  expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toBe("[204,403,403,400,400]\n");
  expect(asked).toEqual([["127.0.0.1", "GET"]]);
  await listener.close();
});
