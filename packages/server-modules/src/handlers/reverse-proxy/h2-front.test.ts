import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RunningServer } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
const cleanups: (() => unknown)[] = [];
beforeAll(async () => {
  running = await RunningServer.start();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
});
afterAll(() => running.close());

function serverConfig(routes: unknown[], more: object = {}): object {
  const s = { listen: ["127.0.0.1:0"], protocols: ["h1", "h2", "h2c"], routes, ...more };
  return { apps: { http: { servers: { s } } } };
}

async function proxyTo(
  address: string,
  more: Record<string, unknown> = {},
  server: object = {},
): Promise<void> {
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: address }], ...more };
  const config = serverConfig([{ handle: [proxy] }], server);
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
}

const h2c = { transport: { protocol: "http", versions: ["h2c"] } };

function session(): ClientHttp2Session {
  const client = connectHttp2(running.site);
  cleanups.push(() => client.destroy());
  return client;
}

async function upstream(...args: Parameters<typeof UpstreamServer.start>): Promise<UpstreamServer> {
  const server = await UpstreamServer.start(...args);
  cleanups.push(() => server.kill());
  return server;
}

async function http2Upstream(take: (stream: ServerHttp2Stream) => void): Promise<string> {
  const server: Http2Server = createHttp2Server();
  server.on("stream", take);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("trailers of requests", () => {
  const send = (headers: Record<string, string> = {}) => {
    const request = httpRequest(running.site, {
      method: "POST",
      headers: { Trailer: "X-Sum", ...headers },
      agent: false,
    });
    request.write("body");
    request.addTrailers({ "X-Sum": "123", "Content-Length": "9" });
    request.end();
    return request;
  };

  test("go on to an upstream of HTTP/1, without those that would change the message", async () => {
    const seen = Promise.withResolvers<unknown>();
    const server = await upstream(async (request, response) => {
      const body = await text(request);
      seen.resolve([body, request.headers.trailer, request.trailers]);
      response.end();
    });
    await proxyTo(server.address);
    send();
    expect(await seen.promise).toEqual(["body", "X-Sum", { "x-sum": "123" }]);
  });

  test("go on to an upstream of HTTP/2", async () => {
    const seen = Promise.withResolvers<unknown>();
    const address = await http2Upstream((stream) => {
      stream.on("trailers", (trailers) => seen.resolve({ ...trailers }));
      stream.resume();
      stream.respond({ ":status": 200 }, { endStream: true });
    });
    await proxyTo(address, h2c);
    send();
    expect(await seen.promise).toMatchObject({ "x-sum": "123" });
  });

  test("come from a client of HTTP/2", async () => {
    const seen = Promise.withResolvers<unknown>();
    const server = await upstream(async (request, response) => {
      const body = await text(request);
      seen.resolve([body, request.trailers]);
      response.end();
    });
    await proxyTo(server.address);
    const stream = session().request({ ":method": "POST", trailer: "x-sum" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "456" }));
    stream.end("body");
    stream.resume();
    expect(await seen.promise).toEqual(["body", { "x-sum": "456" }]);
  });
});

describe("to clients of HTTP/2", () => {
  test("trailers and interim responses of an upstream go on", async () => {
    const server = await upstream((_request, response) => {
      response.writeEarlyHints({ link: "</a.css>; rel=preload" });
      response.writeHead(200, { Trailer: "X-Sum" });
      response.write("body");
      response.addTrailers({ "X-Sum": "789" });
      response.end();
    });
    await proxyTo(server.address);
    const stream = session().request({ ":path": "/" });
    const interim = once(stream, "headers");
    const trailers = once(stream, "trailers");
    expect(await text(stream)).toBe("body");
    expect((await interim)[0]).toMatchObject({ ":status": 103, link: "</a.css>; rel=preload" });
    expect((await trailers)[0]).toMatchObject({ "x-sum": "789" });
  });

  test("an answer to HEAD has no trailers", async () => {
    const address = await http2Upstream((stream) => {
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "x-sum": "789" }));
      stream.end();
    });
    await proxyTo(address, h2c);
    const ask = async (method: string) => {
      const stream = session().request({ ":path": "/", ":method": method, te: "trailers" });
      let hasTrailers = false;
      stream.once("trailers", () => {
        hasTrailers = true;
      });
      await text(stream);
      return hasTrailers;
    };
    expect([await ask("GET"), await ask("HEAD")]).toEqual([true, false]);
  });

  test("an event goes out at once, though more follow", async () => {
    const next = Promise.withResolvers<void>();
    const server = await upstream(async (_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write("data: 1\n\n");
      await next.promise;
      response.end("data: 2\n\n");
    });
    await proxyTo(server.address);
    const stream = session().request({ ":path": "/" });
    const [first] = (await once(stream, "data")) as [Buffer];
    expect(first.toString()).toBe("data: 1\n\n");
    next.resolve();
    expect(await text(stream)).toBe("data: 2\n\n");
  });

  test("many large bodies at once come whole, whatever the windows", async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, "0123456789");
    const server = await upstream((_request, response) => response.end(body));
    await proxyTo(server.address);
    const client = session();
    const all = await Promise.all(Array.from({ length: 8 }, () => buffer(client.request({ ":path": "/" }))));
    expect(all.map((each) => each.equals(body))).toEqual(Array.from({ length: 8 }, () => true));
  });

  test("a large upload comes whole, to an upstream that reads slowly too", async () => {
    const body = Buffer.alloc(6 * 1024 * 1024, "abcdefghij");
    const server = await upstream(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
        await new Promise(setImmediate);
      }
      response.end(createHash("sha256").update(Buffer.concat(chunks)).digest("hex"));
    });
    await proxyTo(server.address);
    const stream = session().request({ ":method": "POST" });
    stream.end(body);
    expect(await text(stream)).toBe(createHash("sha256").update(body).digest("hex"));
  });

  test("uploads that nobody reads do not use up the window of the connection", async () => {
    const config = serverConfig([{ handle: [{ handler: "static_response", body: "no" }] }]);
    expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
    const client = session();
    for (let round = 0; round < 60; round++) {
      const stream = client.request({ ":method": "POST" });
      stream.end(Buffer.alloc(100_000));
      expect(await text(stream)).toBe("no");
    }
  });

  test("a client that breaks its request off breaks off the upstream's", async () => {
    const gone = Promise.withResolvers<void>();
    const server = await upstream((request, response) => {
      response.on("close", () => gone.resolve());
      response.writeHead(200);
      response.write("begun");
      request.resume();
    });
    await proxyTo(server.address);
    const client = session();
    const stream = client.request({ ":path": "/" });
    await once(stream, "data");
    stream.close();
    await gone.promise;
    expect(client.destroyed).toBe(false);
  });
});

describe("a WebSocket by extended CONNECT (RFC 8441)", () => {
  async function echoUpstream(opened?: (socket: Duplex) => void): Promise<UpstreamServer> {
    const server = await upstream(() => {});
    server.server.on("upgrade", (request: IncomingMessage, socket) => {
      opened?.(socket);
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      socket.pipe(socket);
    });
    return server;
  }

  async function open(client: ClientHttp2Session) {
    await once(client, "remoteSettings");
    const stream = client.request({
      ":method": "CONNECT",
      ":protocol": "websocket",
      ":path": "/chat",
      "sec-websocket-version": "13",
    });
    const [head] = await once(stream, "response");
    return { stream, head };
  }

  test("carries bytes both ways, and outlives reloads", async () => {
    const server = await echoUpstream();
    await proxyTo(server.address);
    const client = session();
    const { stream, head } = await open(client);
    expect([head[":status"], head["sec-websocket-accept"]]).toEqual([200, undefined]);
    stream.write("hello");
    expect(String((await once(stream, "data"))[0])).toBe("hello");
    await proxyTo(server.address, { headers: { response: { set: { "X-New": ["1"] } } } });
    stream.write("again");
    expect(String((await once(stream, "data"))[0])).toBe("again");
    const large = Buffer.alloc(2 * 1024 * 1024, "x");
    stream.end(large);
    expect((await buffer(stream)).equals(large)).toBe(true);
  });

  test("CONNECT without a protocol is refused and never reaches an upstream", async () => {
    const asked: (string | undefined)[] = [];
    const server = await upstream((request, response) => {
      asked.push(request.method);
      response.end();
    });
    server.server.on("connect", (request: IncomingMessage, socket) => {
      asked.push(request.method);
      socket.destroy();
    });
    await proxyTo(server.address);
    const client = session();
    for (const authority of ["example.com:443", "*"]) {
      const [head] = await once(
        client.request({ ":method": "CONNECT", ":authority": authority }),
        "response",
      );
      expect(head[":status"]).toBe(400);
    }
    expect(asked).toEqual([]);
  });

  test("beside ordinary requests; when the upstream leaves, its stream ends and the connection stays", async () => {
    const sockets: Duplex[] = [];
    const server = await echoUpstream((socket) => sockets.push(socket));
    await proxyTo(server.address);
    const client = session();
    const { stream } = await open(client);
    const closed = once(stream, "close");
    stream.resume();
    sockets[0]?.destroy();
    await closed;
    const config = serverConfig([{ handle: [{ handler: "static_response", body: "still here" }] }]);
    expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
    expect(await text(client.request({ ":path": "/" }))).toBe("still here");
  });

  test("is declined as any request is, and the connection goes on", async () => {
    const server = await upstream((_request, response) => {
      response.writeHead(403);
      response.end("no");
    });
    await proxyTo(server.address);
    const client = session();
    const { stream, head } = await open(client);
    expect([head[":status"], await text(stream)]).toEqual([403, "no"]);
    expect(await text(client.request({ ":path": "/" }))).toBe("no");
  });
});
