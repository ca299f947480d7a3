import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Http1Error } from "../http1/http1-error.ts";
import { bodyOf, openHttp1, RawClient, rawAnswer, statusesOf } from "../testing/raw-http1.ts";
import type { Http1Request } from "./http1-request.ts";
import type { Http1Response } from "./http1-response.ts";
import type { Http1Handler } from "./http1-server.ts";

const get = (target: string, fields = "") => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const post = (fields: string, body = "") => `POST / HTTP/1.1\r\nHost: a\r\n${fields}\r\n${body}`;
const close = "Connection: close\r\n";

/** Answers with the body of the request, or with the fault of its body as status 422. */
const echo: Http1Handler = (request, response) => {
  bodyOf(request).then(
    (body) => response.end(body),
    ({ fault, message }: Http1Error) => response.writeHead(422).end(`${fault}: ${message}`),
  );
};

/** Refuses each request without a look at its body. */
const refuse: Http1Handler = (request, response) => {
  response.writeHead(413, { "Content-Type": "text/plain" }).end("too large");
  request.dropBody();
};

describe("responses", () => {
  test("go out in one write, with the date and what the client must know of the connection", async () => {
    const { port, listener } = await openHttp1((_, response) =>
      response.setHeader("X-A", "b").writeHead(200, { "Content-Type": "text/plain" }).end("héllo"),
    );
    let writes = 0;
    listener.on("connection", (socket: Socket) => {
      const { write } = socket;
      socket.write = (...parts: unknown[]) => {
        writes++;
        return Reflect.apply(write, socket, parts);
      };
    });
    const client = new RawClient(port);
    client.write(get("/"));
    const answer = await client.until(/llo$/);
    expect(answer).toMatch(
      /^HTTP\/1.1 200 OK\r\nX-A: b\r\nContent-Type: text\/plain\r\nDate: \w{3}, .* GMT\r\nContent-Length: 6\r\nConnection: keep-alive\r\n\r\nh\xc3\xa9llo$/,
    );
    expect(writes).toBe(1);
  });

  test("name the idle time, after which the server would close", async () => {
    const { port } = await openHttp1(echo, { idleTimeoutMs: 75_000 });
    const client = new RawClient(port);
    client.write(get("/"));
    expect(await client.until(/\r\n\r\n/)).toContain(
      "\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n",
    );
  });

  test.each([
    ["text", "x".repeat(3)],
    ["bytes", Buffer.from([0, 0xff, 0x80])],
    ["many bytes", Buffer.alloc(100_000, 0xe9)],
    ["much text that is not ASCII", "é✓".repeat(10_000)],
  ])("%s arrives as it is", async (_, body) => {
    const { port } = await openHttp1((__, response) => response.end(body));
    const answer = await rawAnswer(port, get("/", close));
    const bytes = Buffer.from(body as string);
    expect(answer).toContain(`\r\nContent-Length: ${bytes.length}\r\n`);
    expect(answer.slice(answer.indexOf("\r\n\r\n") + 4) === bytes.toString("latin1")).toBe(true);
  });

  test("have no body for HEAD, 204 and 304", async () => {
    const { port } = await openHttp1((request, response) =>
      response.writeHead(Number(request.url.slice(1))).end(request.method === "HEAD" ? "abc" : ""),
    );
    const head = "HEAD /200 HTTP/1.1\r\nHost: a\r\n\r\n";
    const answer = await rawAnswer(port, head + get("/204") + get("/304", close));
    expect(answer.split("\r\n\r\n")).toHaveLength(4);
    expect(answer).not.toMatch(/HTTP\/1.1 [23]04 .*\r\n(?:.+\r\n)*Content-Length/);
  });

  test("cannot be split by a value, which is an error of the handler", async () => {
    const { port, faults } = await openHttp1((request, response) =>
      response.setHeader("X-A", request.url === "/bad" ? "b\r\nSet-Cookie: c" : "b").end("served"),
    );
    const answer = await rawAnswer(port, get("/bad") + get("/hidden"));
    expect(statusesOf(answer)).toEqual([500]);
    expect(answer).not.toContain("Set-Cookie");
    expect(faults).toEqual([expect.objectContaining({ message: expect.stringContaining("X-A") })]);
    expect(await rawAnswer(port, get("/", close))).toContain("served");
  });

  test("wait for a client that does not read them, and the next requests with them", async () => {
    let served = 0;
    const { port } = await openHttp1((_, response) => {
      served++;
      response.end(Buffer.alloc(1_000_000));
    });
    const client = new RawClient(port);
    client.socket.pause();
    client.write(get("/").repeat(50));
    const late = new RawClient(port);
    late.write(get("/", close));
    await late.end();
    expect(served).toBeLessThan(20);
    client.write(get("/last", close));
    client.socket.resume();
    await client.end();
    expect(served).toBe(52);
  });
});

describe("connections", () => {
  test.each([
    ["HTTP/1.1", get("/"), true],
    ["HTTP/1.1 that closes", get("/", close), false],
    ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", false],
    ["HTTP/1.0 that stays", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true],
  ])("%s", async (_, request, stays) => {
    const { port } = await openHttp1(echo);
    const answer = await rawAnswer(port, request + get("/second", close));
    expect(statusesOf(answer)).toHaveLength(stays ? 2 : 1);
    expect(answer).toContain(stays ? "\r\nConnection: keep-alive\r\n" : "\r\nConnection: close\r\n");
  });

  test("a handler closes one by its own field", async () => {
    const { port } = await openHttp1((_, response) => response.setHeader("Connection", "close").end());
    const answer = await rawAnswer(port, get("/") + get("/hidden"));
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer.match(/Connection/g)).toHaveLength(1);
  });

  test("a client that ended its side gets all its answers", async () => {
    const { port } = await openHttp1(
      (request, response) => void setTimeout(() => echo(request, response), 5),
    );
    const client = new RawClient(port);
    client.socket.end(`${get("/1")}${post("Content-Length: 3\r\n", "abc")}`);
    const answer = await client.end();
    expect(statusesOf(answer)).toEqual([200, 200]);
    expect(answer).toMatch(/abc$/);
  });

  test.each([
    ["a head", "GET / HT", 400],
    ["a body", post("Content-Length: 9\r\n", "abc"), 422],
    ["a chunk", post("Transfer-Encoding: chunked\r\n", "9\r\nabc"), 422],
    ["nothing", "", undefined],
  ])("a client that ended its side within %s is told so", async (_, bytes, status) => {
    const { port } = await openHttp1(echo);
    const client = new RawClient(port);
    client.socket.end(bytes);
    expect(statusesOf(await client.end())).toEqual(status === undefined ? [] : [status]);
  });

  test("a client that goes away fails its body, and its response is told so", async () => {
    const failed = Promise.withResolvers<Http1Error>();
    const told = Promise.withResolvers<boolean>();
    const { port } = await openHttp1((request, response) => {
      response.once("close", () => told.resolve(response.destroyed));
      bodyOf(request).catch(failed.resolve);
    });
    const client = new RawClient(port);
    client.write(post("Content-Length: 9\r\n", "abc"));
    client.socket.on("ready", () => setImmediate(() => client.socket.resetAndDestroy()));
    expect((await failed.promise).fault).toBe("gone");
    expect(await told.promise).toBe(true);
  });

  test("a handler that throws costs its connection, and no other", async () => {
    const { port, faults } = await openHttp1((request, response) => {
      if (request.url === "/bad") {
        throw new Error("broken");
      }
      response.end("served");
    });
    const other = new RawClient(port);
    other.write(get("/"));
    await other.until(/served/);
    const answer = await rawAnswer(port, get("/bad") + get("/hidden"));
    expect(statusesOf(answer)).toEqual([500]);
    expect(faults).toEqual([new Error("broken")]);
    other.write(get("/", close));
    expect(statusesOf(await other.end())).toEqual([200, 200]);
  });
});

describe("bodies that nobody wants", () => {
  test("are dropped, and the connection stays", async () => {
    const { port } = await openHttp1(refuse);
    const client = new RawClient(port);
    client.write(post("Content-Length: 500000\r\n", "abc"));
    // The refusal is heard while the body is still on its way.
    await client.until(/too large$/);
    client.write("x".repeat(499_997));
    client.write(get("/", close));
    expect(statusesOf(await client.end())).toEqual([413, 413]);
  });

  test("are dropped too when the handler forgets to say so", async () => {
    const { port } = await openHttp1((_, response) => response.end("served"));
    const answer = await rawAnswer(port, post("Content-Length: 3\r\n", "abc") + get("/", close));
    expect(statusesOf(answer)).toEqual([200, 200]);
  });

  test.each([
    ["a length", post("Content-Length: 99999999999\r\n")],
    ["chunks", post("Transfer-Encoding: chunked\r\n")],
  ])("and are too large, by %s, end the connection behind a response that arrives", async (_, head) => {
    const { port } = await openHttp1(refuse, { maxDroppedBytes: 1_000 });
    const client = new RawClient(port);
    client.write(head);
    await client.until(/too large$/);
    // The server reads a part of the body, and does not reset the connection while the client reads.
    client.write(`320\r\n${"x".repeat(800)}\r\n`.repeat(20));
    await client.end();
    expect(statusesOf(client.seen)).toEqual([413]);
  });

  test("and are awaited by 100-continue are never sent", async () => {
    const { port } = await openHttp1(refuse);
    const client = new RawClient(port);
    client.write(post("Content-Length: 5\r\nExpect: 100-continue\r\n"));
    const answer = await client.end();
    expect(statusesOf(answer)).toEqual([413]);
    expect(answer).toContain("\r\nConnection: close\r\n");
  });
});

test("100-continue is sent when the body is read", async () => {
  const { port } = await openHttp1(echo);
  const client = new RawClient(port);
  client.write(post(`Content-Length: 5\r\nExpect: 100-continue\r\n${close}`));
  await client.until(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
  client.write("hello");
  expect(statusesOf(await client.end())).toEqual([100, 200]);
});

describe("time limits", () => {
  test("a head that is late is 408, an idle connection closes without a word", async () => {
    const limits = { firstByteTimeoutMs: 20, readHeaderTimeoutMs: 20, idleTimeoutMs: 20 };
    const { port } = await openHttp1(echo, limits);
    expect(statusesOf(await rawAnswer(port, "GET / HTTP/1.1\r\n"))).toEqual([408]);
    expect(await rawAnswer(port, "")).toBe("");
    expect(statusesOf(await rawAnswer(port, get("/")))).toEqual([200]);
    // The second head has its own limit, not the limit of idle connections.
    expect(statusesOf(await rawAnswer(port, `${get("/")}GET`))).toEqual([200, 408]);
  });

  test("a connection that is opened early waits for its first request, whose head has its own limit", async () => {
    const { port } = await openHttp1(echo, { firstByteTimeoutMs: 60_000, readHeaderTimeoutMs: 20 });
    const [early, slow] = [new RawClient(port), new RawClient(port)];
    await Promise.all([once(early.socket, "connect"), once(slow.socket, "connect")]);
    // Longer than two rounds of checking time limits.
    await delay(1_200);
    early.write(get("/"));
    slow.write("GET");
    await early.until(/200 OK/);
    expect(statusesOf(await slow.end())).toEqual([408]);
  });

  test("a body that is late is the handler's to answer", async () => {
    const { port } = await openHttp1(echo, { readTimeoutMs: 20 });
    const answer = await rawAnswer(port, post("Content-Length: 5\r\n", "abc"));
    expect(answer).toMatch(/^HTTP\/1.1 422 [\s\S]*late: the sender took too long/);
    expect(answer).toContain("\r\nConnection: close\r\n");
  });

  test("a handler may take as long as it likes", async () => {
    const { port } = await openHttp1((_, response) => void setTimeout(() => response.end("served"), 1_200), {
      readTimeoutMs: 20,
      readHeaderTimeoutMs: 20,
      idleTimeoutMs: 20,
    });
    expect(await rawAnswer(port, get("/"))).toMatch(/served$/);
  });

  test("what came in time is taken, however late it is read", async () => {
    const limits = { readTimeoutMs: 300, readHeaderTimeoutMs: 300, idleTimeoutMs: 300 };
    const { port } = await openHttp1(echo, limits);
    const body = new RawClient(port);
    body.write(post("Content-Length: 5\r\nExpect: 100-continue\r\n"));
    const head = new RawClient(port);
    head.write("GET / HTTP/1.1\r\n");
    const idle = new RawClient(port);
    idle.write(get("/"));
    await Promise.all([body.until(/100 Continue/), idle.until(/200 OK/), once(head.socket, "connect")]);
    body.write("hello");
    head.write("Host: a\r\n\r\n");
    idle.write(get("/"));
    // Blocks the process for longer than all limits and than the interval of checking them.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
    await Promise.all([body.until(/hello$/), head.until(/200 OK/), idle.until(/200 OK[\s\S]*200 OK/)]);
  });
});

describe("a stop", () => {
  test("lets running requests end, and tells their clients", async () => {
    const running: [Http1Request, Http1Response][] = [];
    const arrived = Promise.withResolvers<void>();
    const { port, server } = await openHttp1((request, response) => {
      running.push([request, response]);
      arrived.resolve();
    });
    const client = new RawClient(port);
    client.write(post("Content-Length: 3\r\n", "ab"));
    await arrived.promise;
    const stopped = server.stop(new AbortController().signal);
    const [request, response] = running[0] as [Http1Request, Http1Response];
    echo(request, response);
    client.write("c");
    const answer = await client.end();
    expect(answer).toMatch(/abc$/);
    expect(answer).toContain("\r\nConnection: close\r\n");
    await stopped;
  });

  test("serves the request that an idle connection had already sent", async () => {
    const { port, server } = await openHttp1(echo);
    const client = new RawClient(port);
    client.write(get("/"));
    await client.until(/200 OK/);
    client.write(post("Content-Length: 3\r\n", "abc"));
    // The request waits in the system while the process is busy; then the stop comes before the bytes are read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    const stopped = server.stop(new AbortController().signal);
    expect(await client.end()).toMatch(/abc$/);
    await stopped;
  });

  test("serves one more request of clients that are between two", async () => {
    const { port, server } = await openHttp1(echo);
    const client = new RawClient(port);
    client.write(get("/"));
    await client.until(/200 OK/);
    const stopped = server.stop(new AbortController().signal);
    // The client learns nothing of the stop, and goes on after a moment.
    await new Promise((resolve) => setTimeout(resolve, 20));
    client.write(post("Content-Length: 3\r\n", "abc"));
    const answer = await client.end();
    expect(statusesOf(answer)).toEqual([200, 200]);
    expect(answer.lastIndexOf("Connection: close")).toBeGreaterThan(answer.lastIndexOf("HTTP/1.1"));
    await stopped;
  });

  test("closes idle connections, and cuts all when it may not wait", async () => {
    const arrived = Promise.withResolvers<void>();
    const { port, server } = await openHttp1(() => arrived.resolve());
    const idle = new RawClient(port);
    await once(idle.socket, "connect");
    const waiting = new RawClient(port);
    waiting.write(get("/"));
    await arrived.promise;
    const within = new AbortController();
    const stopped = server.stop(within.signal);
    await idle.end();
    within.abort();
    await stopped;
    expect(await waiting.end()).toBe("");
  });
});
