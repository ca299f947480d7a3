import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { answerClientError } from "./client-error.ts";

const head = "POST /load HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n";

/** A server that allows 300 ms for a request, and checks for late requests every 100 ms. */
async function open() {
  const server = createServer({ requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 100 });
  server.on("request", (request, response) => {
    // A client that misses the deadline loses its connection, and the read of its body fails.
    text(request).then(
      (body) => response.end(`got ${body}`),
      () => {},
    );
  });
  server.on("clientError", answerClientError);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  return { server, socket };
}

test("a body that came in time is served, however late a busy process reads it", async () => {
  const { server, socket } = await open();
  socket.write(`${head}Expect: 100-continue\r\n\r\n`);
  expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 100 /);
  socket.write("hello");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 200 .*got hello/s);
  expect(server.listening).toBe(true);
});

test.each([
  ["a body", `${head}\r\nhel`],
  ["headers", "POST /load HTTP/1.1\r\nHost:"],
])("%s that come too slowly get 408", async (_, bytes) => {
  const { socket } = await open();
  socket.write(bytes);
  expect(await text(socket)).toMatch(/^HTTP\/1.1 408 /);
});
