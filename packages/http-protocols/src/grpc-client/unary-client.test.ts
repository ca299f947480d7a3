import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { prefixed } from "./grpc-answer.ts";
import { UnaryClient, type UnaryClientSettings } from "./unary-client.ts";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const each of cleanUp.splice(0)) {
    each();
  }
});

function client(port: number, settings: Partial<UnaryClientSettings> = {}): UnaryClient {
  const made = new UnaryClient({
    origin: `http://127.0.0.1:${port}`,
    path: "/a.B/C",
    gzip: false,
    ...settings,
  });
  cleanUp.push(() => made.close());
  return made;
}

async function server(onStream: (stream: ServerHttp2Stream, fields: Record<string, unknown>) => void) {
  const made: Http2Server = createServer().on("stream", (stream: ServerHttp2Stream, fields) => {
    stream.on("error", () => {});
    onStream(stream, fields);
  });
  made.on("session", (session) => cleanUp.push(() => session.destroy()));
  cleanUp.push(() => made.close());
  made.listen(0, "127.0.0.1");
  await once(made, "listening");
  return (made.address() as AddressInfo).port;
}

function answer(stream: ServerHttp2Stream, message: Buffer): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(message);
}

const message = prefixed(Buffer.from("question"));

test("a call has the fields of gRPC, its time and the metadata", async () => {
  let seen: Record<string, unknown> = {};
  const port = await server((stream, fields) => {
    seen = fields;
    answer(stream, prefixed(Buffer.from("answer")));
  });
  const called = await client(port, { headers: { te: "other", "x-key": "1" } }).call(message, 20_000);
  expect([called.status, called.message.toString()]).toEqual(["OK", "answer"]);
  expect(seen).toMatchObject({
    ":method": "POST",
    ":scheme": "http",
    ":path": "/a.B/C",
    ":authority": `127.0.0.1:${port}`,
    "content-type": "application/grpc",
    te: "trailers",
    "x-key": "1",
  });
  expect(Number.parseInt(String(seen["grpc-timeout"]), 10)).toBeGreaterThan(1_000);
  expect(seen).not.toHaveProperty("grpc-encoding");
});

test.each([
  ["is read", Buffer.from("answer"), "OK"],
  ["that grows beyond the limit is refused", Buffer.alloc(2_000_000), "INTERNAL"],
])("a compressed answer %s", async (_, text, status) => {
  const compressed = prefixed(gzipSync(text));
  compressed[0] = 1;
  const port = await server((stream) => answer(stream, compressed));
  expect((await client(port, { gzip: true }).call(message, 20_000)).status).toBe(status);
});

test("a new connection is opened when the server closes the old one, and calls at once share one", async () => {
  const sessions = new Set<unknown>();
  const port = await server((stream) => {
    const { session } = stream;
    sessions.add(session);
    answer(stream, prefixed(Buffer.from("answer")));
    stream.once("close", () => session?.close());
  });
  const calling = client(port);
  const first = await Promise.all([calling.call(message, 20_000), calling.call(message, 20_000)]);
  expect(first.map(({ status }) => status)).toEqual(["OK", "OK"]);
  expect(sessions.size).toBe(1);
  for (let call = 0; call < 3; call++) {
    // A call may reach a closing connection, which then does not begin it.
    const { status, isUntouched } = await calling.call(message, 20_000);
    expect(status === "OK" || isUntouched).toBe(true);
  }
  expect(sessions.size).toBeGreaterThan(1);
});

test.each([
  ["its time is over", 50, "DEADLINE_EXCEEDED", "no answer in"],
  ["the client is closed", 20_000, "UNAVAILABLE", "the client was closed"],
])("a call ends when %s", async (_, timeoutMs, status, details) => {
  const port = await server((stream) => {
    stream.resume();
    if (timeoutMs === 20_000) {
      calling.close();
    }
  });
  const calling = client(port);
  const called = await calling.call(message, timeoutMs);
  expect([called.status, called.details]).toEqual([status, expect.stringContaining(details)]);
  calling.close();
  expect(await calling.call(message, 20_000)).toMatchObject({ status: "UNAVAILABLE", isUntouched: true });
});

test("a server that fails the handshake, or says nothing", async () => {
  const silent = createTlsServer().listen(0, "127.0.0.1");
  cleanUp.push(() => silent.close());
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const overTls = await client(port, { origin: `https://127.0.0.1:${port}` }).call(message, 20_000);
  expect(overTls).toMatchObject({ status: "UNAVAILABLE", isUntouched: true });
  const inTheClear = await client(port, { connectTimeoutMs: 50 }).call(message, 20_000);
  expect(inTheClear.status).toBe("UNAVAILABLE");
});
