import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import type { TenancyOptions } from "lifecycle";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { encodeThriftBatch } from "wire/testing/encode-agent-packet";
import type { ThriftSpan } from "wire/thrift";
import {
  anyPort,
  openReceiverFixture,
  type ReceiverFixture,
  roomForOneSpan,
  twoTenants,
  usualTimeouts,
} from "../../test/receiver-fixture.ts";
import { openHttpThrift } from "./http-thrift.ts";
import { BodyReader } from "./read-body.ts";
import type { Receiver } from "./receiver.ts";
import { UnfinishedBytes } from "./unfinished-bytes.ts";

const thrift = { "Content-Type": "application/x-thrift" };

let fixture: ReceiverFixture;
let receiver: Receiver;
let base: string;

async function open(maxBytes?: number, tenancy?: TenancyOptions): Promise<void> {
  fixture = await openReceiverFixture(maxBytes, tenancy);
  receiver = await openHttpThrift(anyPort, usualTimeouts, fixture.context);
  base = `http://127.0.0.1:${receiver.port}`;
}

async function close(): Promise<void> {
  await receiver.stop(AbortSignal.abort());
  await fixture.close();
}

beforeEach(() => open());
afterEach(close);

const zero = { high: 0, low: 0 };
const span: ThriftSpan = {
  traceIdLow: { high: 0, low: 7 },
  traceIdHigh: zero,
  spanId: { high: 0, low: 8 },
  parentSpanId: zero,
  operationName: "GET",
  flags: 3,
  startTime: { high: 0, low: 1_000_000 },
  duration: { high: 0, low: 5 },
};

function batch(...names: string[]): Buffer<ArrayBuffer> {
  const spans = names.map((operationName) => ({ ...span, operationName }));
  return Buffer.from(encodeThriftBatch({ process: { serviceName: "Shop" }, spans }, "binary"));
}

async function post(headers: Record<string, string>, body: string | Buffer<ArrayBuffer>) {
  const response = await fetch(`${base}/api/traces?format=jaeger.thrift`, { method: "POST", headers, body });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    text: await response.text(),
  };
}

describe("batches", () => {
  test.each([
    ["application/x-thrift", undefined],
    ["Application/X-Thrift; charset=binary", undefined],
    ["application/vnd.apache.thrift.binary", undefined],
    // Jaeger does not decode it, and treats it as Thrift.
    ["application/x-thrift", "gzip"],
  ])("%s %s", async (type, encoding) => {
    const body = batch("first", "second");
    const got = await post(
      { "Content-Type": type, ...(encoding === undefined ? {} : { "Content-Encoding": encoding }) },
      encoding === undefined ? body : gzipSync(body),
    );
    expect(got).toEqual({ status: 202, retryAfter: null, text: "" });
    expect(await fixture.spans()).toMatchObject([
      { name: "first", format: "jaeger", resource: { serviceName: "Shop" }, spanId: "0000000000000008" },
      { name: "second", durationNano: 5_000n },
    ]);
    expect(await fixture.metric("spans_received_total", "jaeger", "http", "shop", "true")).toBe(2);
  });

  test("a batch without spans is fine", async () => {
    expect((await post(thrift, batch())).status).toBe(202);
    expect(fixture.journal.segments).toBe(0);
  });
});

describe("bad requests get their line of text, and the next is served", () => {
  test.each([
    ["no type", {}, batch("x"), "Cannot parse content type: mime: no media type"],
    [
      "no media type",
      { "Content-Type": "a/b c" },
      batch("x"),
      /^Cannot parse content type: mime: unexpected/,
    ],
    ["another type", { "Content-Type": "A/b'&" }, batch("x"), "Unsupported content type: a/b&#39;&amp;"],
    ["an empty body", thrift, "", "Unable to process request body: *tracing.Batch field 0 read error: EOF"],
    ["a batch cut short", thrift, batch("x").subarray(0, 60), /^Unable to process request body: ./],
    ["no Thrift", thrift, "hello", /^Unable to process request body: Unknown data type 104/],
    // A list of 2^31-1 structs, in nine bytes.
    [
      "a length that lies",
      thrift,
      Buffer.from("0f00020c7fffffff00", "hex"),
      /^Unable to process request body: /,
    ],
    ["no process", thrift, Buffer.from([0]), /^Unable to process request body: Required field Process/],
    ["not gzip", { ...thrift, "Content-Encoding": "gzip" }, "x", /request body is not gzip/],
  ])("%s is 400", async (_, headers, body, text) => {
    // Fetch adds a content type to text bodies.
    const got = await post(headers, Buffer.from(body));
    expect(got.status).toBe(400);
    expect(got.text).toMatch(text instanceof RegExp ? text : `${text}\n`);
    expect((await post(thrift, batch("x"))).status).toBe(202);
    expect(await fixture.spans()).toHaveLength(1);
  });

  test.each([
    ["a 50 MB body", thrift, Buffer.alloc(50_000_000)],
    ["a bomb", { ...thrift, "Content-Encoding": "gzip" }, gzipSync(Buffer.alloc(200_000_000))],
  ])("%s is 413", async (_, headers, body) => {
    const got = await post(headers, body);
    expect([got.status, got.text]).toEqual([
      413,
      expect.stringMatching(/^Unable .* over the limit of 20971520/),
    ]);
    expect(await fixture.metric("requests_total", "jaeger", "invalid")).toBe(1);
  });

  test.each([
    ["GET", "/api/traces", 405, ""],
    ["PUT", "/api/traces", 405, ""],
    ["POST", "/api/sampling", 405, ""],
    ["POST", "/api/traces/", 404, "404 page not found\n"],
    ["POST", "/constructor", 404, "404 page not found\n"],
  ])("%s %s is %d", async (method, path, status, text) => {
    const response = await fetch(base + path, { method });
    expect([response.status, await response.text()]).toEqual([status, text]);
  });

  /** @returns the bytes that the server sends until it closes the connection */
  async function raw(...parts: string[]): Promise<string> {
    const socket = connect(receiver.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString("latin1");
    });
    for (const part of parts) {
      socket.write(part);
    }
    await new Promise((resolve) => socket.once("close", resolve));
    return answer;
  }

  const head = "POST /api/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-thrift\r\n";
  test.each([
    ["two lengths", `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
    ["a length and chunks", `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["a chunk longer than it says", `${head}Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n`],
    ["a chunk size that is none", `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ["a space before the colon", `${head}Content-Length : 5\r\n\r\nhello`],
    ["a header on two lines", `${head}X-A: b\r\n c: d\r\nContent-Length: 0\r\n\r\n`],
    ["an unknown transfer encoding", `${head}Transfer-Encoding: xchunked\r\n\r\nhello`],
  ])("%s is 400 and ends the connection", async (_, request) => {
    // Bytes after the request are not read as another request.
    const answer = await raw(request, "GET /api/sampling?service=smuggled HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).not.toContain("maxTracesPerSecond");
    expect((await post(thrift, batch("x"))).status).toBe(202);
  });

  async function reopen(readMs: number): Promise<void> {
    await close();
    fixture = await openReceiverFixture();
    const timeouts = { idleMs: 0, readMs, readHeaderMs: 20 };
    receiver = await openHttpThrift(anyPort, timeouts, fixture.context);
    base = `http://127.0.0.1:${receiver.port}`;
  }

  test("headers that come too slowly are 408, a body is 503, which exporters send again", async () => {
    await reopen(60);
    expect(await raw("POST /api/traces HTTP/1.1\r\nHost:")).toMatch(/^HTTP\/1.1 408 /);
    expect(await raw(`${head}Content-Length: 100\r\n\r\nhel`)).toMatch(
      /^HTTP\/1.1 503 .*\r\nRetry-After: 1\r\n/,
    );
    expect((await post(thrift, batch("x"))).status).toBe(202);
  });

  test("a body that came in time is taken, however late it is read", async () => {
    await reopen(1_000);
    const body = batch("x");
    const socket = connect(receiver.port, "127.0.0.1");
    socket.write(
      `${head}Content-Length: ${body.length}\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n`,
    );
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 100 /);
    socket.write(body);
    // Blocks the process for longer than the time limit and than Node's interval of checking it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 202 /);
    socket.destroy();
  });
});

describe("refusals", () => {
  test("a full journal answers 429 with Retry-After", async () => {
    await close();
    await open(roomForOneSpan);
    expect((await post(thrift, batch("x"))).status).toBe(202);
    const got = await post(thrift, batch("x"));
    expect([got.status, got.retryAfter, got.text]).toEqual([
      429,
      "5",
      expect.stringMatching(/^Cannot submit tracing batch: journal /),
    ]);
  });

  test("bodies past what all listeners may have under way answer 429 with Retry-After", async () => {
    await receiver.stop(AbortSignal.abort());
    const bodies = new BodyReader({ maxBytes: 1_000, unfinished: new UnfinishedBytes(50) });
    receiver = await openHttpThrift(anyPort, usualTimeouts, { ...fixture.context, bodies });
    base = `http://127.0.0.1:${receiver.port}`;
    const got = await post(thrift, batch("x"));
    expect([got.status, got.retryAfter, got.text]).toEqual([
      429,
      "1",
      expect.stringMatching(/^Cannot submit .* bytes of requests are under way: the limit is 50\n$/),
    ]);
    expect(await fixture.metric("requests_total", "jaeger", "refused")).toBe(1);
  });

  test("a collector that stops answers 503 with Retry-After", async () => {
    await fixture.journal.finish();
    const got = await post(thrift, batch("x"));
    expect([got.status, got.retryAfter, got.text]).toEqual([
      503,
      "1",
      expect.stringMatching(/^Cannot submit /),
    ]);
  });
});

describe("tenancy", () => {
  beforeEach(async () => {
    await close();
    await open(undefined, twoTenants);
  });

  test("a batch belongs to the tenant that the header names", async () => {
    expect((await post({ ...thrift, "X-Tenant": "acme" }, batch("x"))).status).toBe(202);
    expect(await fixture.spansByTenant()).toEqual([["acme", "x"]]);
  });

  test.each([
    [thrift, "missing tenant header\n"],
    [{ ...thrift, "X-Tenant": "nobody" }, "unknown tenant\n"],
  ])("%j is 403", async (headers, text) => {
    expect(await post(headers, batch("x"))).toEqual({ status: 403, retryAfter: null, text });
    expect(fixture.journal.segments).toBe(0);
  });
});

describe("clients that ask how to sample", () => {
  test("get the strategy of their service, also where there is tenancy", async () => {
    await close();
    await open(undefined, twoTenants);
    const response = await fetch(`${base}/api/sampling?service=shop`);
    expect([response.status, await response.json()]).toEqual([
      200,
      { strategyType: "RATE_LIMITING", rateLimitingSampling: { maxTracesPerSecond: 4 } },
    ]);
    expect(await fixture.metric("http_server_requests_total", "sampling")).toBe(1);
  });

  test("get an error for baggage restrictions, which is counted", async () => {
    const response = await fetch(`${base}/api/baggageRestrictions?service=shop`);
    expect([response.status, await response.text()]).toEqual([
      500,
      "collector error: baggage restrictions not implemented\n",
    ]);
    expect(await fixture.metric("http_server_errors_total", "collector-proxy", "5xx")).toBe(1);
    expect(
      await fixture.metric("http_request_duration", "GET", "/api/baggageRestrictions", "500"),
    ).toBeDefined();
  });
});
