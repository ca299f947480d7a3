import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { TenancyOptions } from "lifecycle";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  anyPort,
  oneSpanJson,
  oneSpanProtobuf,
  openReceiverFixture,
  type ReceiverFixture,
  roomForOneSpan,
  twoTenants,
  usualTimeouts,
} from "../../test/receiver-fixture.ts";
import { Cors } from "./cors.ts";
import { openOtlpHttp } from "./otlp-http.ts";
import type { Receiver } from "./receiver.ts";

const json = { "Content-Type": "application/json" };
const protobuf = { "Content-Type": "application/x-protobuf" };

let fixture: ReceiverFixture;
let receiver: Receiver;
let base: string;

async function open(maxBytes?: number, tenancy?: TenancyOptions): Promise<void> {
  fixture = await openReceiverFixture(maxBytes, tenancy);
  const cors = Cors.of(["https://*.example"], []);
  receiver = await openOtlpHttp(anyPort, { timeouts: usualTimeouts, cors }, fixture.context);
  base = `http://127.0.0.1:${receiver.port}`;
}

beforeEach(() => open());

afterEach(async () => {
  await receiver.stop(AbortSignal.abort());
  await fixture.close();
});

async function post(
  headers: Record<string, string>,
  body: string | Buffer<ArrayBuffer>,
  path = "/v1/traces",
) {
  const response = await fetch(base + path, { method: "POST", headers, body });
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    retryAfter: response.headers.get("retry-after"),
    body: Buffer.from(await response.arrayBuffer()),
  };
}

/** A snappy block with a single literal, so the data is not compressed. Source: google/snappy format_description.txt */
function snappyBlock(text: string): Buffer<ArrayBuffer> {
  const literal = Buffer.from([61 << 2, (text.length - 1) & 0xff, (text.length - 1) >> 8]);
  return Buffer.concat([snappyLength(text.length), literal, Buffer.from(text)]);
}

/** A snappy bomb: one space, then 500,000 copies of 64 bytes with distance 1. */
function snappyBomb(): Buffer<ArrayBuffer> {
  const copies = Buffer.alloc(1_500_000, Buffer.from([(63 << 2) | 2, 1, 0]));
  return Buffer.concat([snappyLength(32_000_001), Buffer.from([0, 0x20]), copies]);
}

function snappyLength(length: number): Buffer {
  return Buffer.from([0, 7, 14].map((shift) => ((length >> shift) & 0x7f) | 0x80).concat(length >> 21));
}

describe("good requests", () => {
  test.each([
    ["JSON", json, oneSpanJson(), '{"partialSuccess":{}}'],
    [
      "JSON with a parameter",
      { "Content-Type": "Application/JSON; charset=utf-8" },
      oneSpanJson(),
      '{"partialSuccess":{}}',
    ],
    ["protobuf", protobuf, oneSpanProtobuf(), "\n\0"],
    ["gzip", { ...json, "Content-Encoding": "gzip" }, gzipSync(oneSpanJson()), '{"partialSuccess":{}}'],
    ["deflate", { ...protobuf, "Content-Encoding": "deflate" }, deflateSync(oneSpanProtobuf()), "\n\0"],
    ["zstd", { ...protobuf, "Content-Encoding": "zstd" }, zstdCompressSync(oneSpanProtobuf()), "\n\0"],
    ["zlib", { ...protobuf, "Content-Encoding": "zlib" }, deflateSync(oneSpanProtobuf()), "\n\0"],
    [
      "snappy",
      { ...json, "Content-Encoding": "snappy" },
      snappyBlock(oneSpanJson()),
      '{"partialSuccess":{}}',
    ],
    ["no encoding, named", { ...protobuf, "Content-Encoding": "identity" }, oneSpanProtobuf(), "\n\0"],
  ])("%s", async (_, headers, body, answer) => {
    const got = await post(headers, body);
    expect([got.status, got.body.toString()]).toEqual([200, answer]);
    expect(await fixture.spans()).toMatchObject([
      { name: "x", traceId: "5b8efff798038103d269b633813fc60c", resource: { serviceName: "shop" } },
    ]);
  });

  test("an empty protobuf request is fine and keeps nothing", async () => {
    expect((await post(protobuf, "")).status).toBe(200);
    expect(fixture.journal.segments).toBe(0);
  });

  test("spans with empty ids are rejected alone", async () => {
    const got = await post(json, oneSpanJson("bad", ""));
    expect(got.status).toBe(200);
    expect(JSON.parse(got.body.toString())).toEqual({
      partialSuccess: {
        rejectedSpans: "1",
        errorMessage: expect.stringContaining('span "bad" at resourceSpans[0]'),
      },
    });
    expect(await fixture.metric("spans_rejected_total", "otlp-json")).toBe(1);
  });

  test("the bytes of a protobuf answer are not touched, and a full answer follows one with rejected spans", async () => {
    const partial = (await post(protobuf, oneSpanProtobuf("bäd ✓", ""))).body;
    // Field 1 inside of field 1: one rejected span; then the message in UTF-8.
    expect(partial.subarray(0, 5).toString("hex")).toBe(`0a${(partial.length - 2).toString(16)}080112`);
    expect(partial.toString()).toContain('span "bäd ✓" at');
    expect((await post(protobuf, oneSpanProtobuf())).body.toString("hex")).toBe("0a00");
  });

  test("what came is counted", async () => {
    await post(protobuf, oneSpanProtobuf());
    expect(await fixture.metric("requests_total", "http", "otlp", "kept")).toBe(1);
    expect(await fixture.metric("spans_received_total", "http", "otlp", "shop", "false")).toBe(1);
    expect(await fixture.metric("traces_received_total", "http", "otlp", "shop", "unrecognized")).toBe(1);
    expect(await fixture.metric("batch_size")).toBe(1);
    expect(await fixture.metric("received_bytes_total", "http", "otlp")).toBe(oneSpanProtobuf().length);
  });
});

describe("bad requests get their answer, and the next is served", () => {
  const unsupported = "415 unsupported media type, supported: [application/json, application/x-protobuf]";
  const truncated = oneSpanProtobuf().subarray(0, 40);
  test.each([
    ["invalid JSON", json, "{", 400, "application/json", /^\{"code":3,"message":".+"\}$/],
    ["JSON of another shape", json, '{"resourceSpans":7}', 400, "application/json", /^\{"code":3,/],
    ["truncated protobuf", protobuf, truncated, 400, "application/x-protobuf", "\x08\x03\x12"],
    ["no protobuf at all", protobuf, "hello", 400, "application/x-protobuf", "\x08\x03\x12"],
    ["a wrong content type", { "Content-Type": "text/xml" }, "<a/>", 415, "text/plain", unsupported],
    ["no content type", {}, Buffer.from("x"), 415, "text/plain", unsupported],
    ["not gzip", { ...json, "Content-Encoding": "gzip" }, "x", 400, "application/json", /not gzip/],
    [
      "gzip cut short",
      { ...json, "Content-Encoding": "gzip" },
      gzipSync(oneSpanJson()).subarray(0, 60),
      400,
      "application/json",
      /not gzip/,
    ],
    [
      "an unknown encoding",
      { ...json, "Content-Encoding": "br" },
      "x",
      415,
      "application/json",
      /unsupported Content-Encoding: br/,
    ],
    [
      "a 50 MB body",
      protobuf,
      Buffer.alloc(50_000_000),
      413,
      "application/x-protobuf",
      /over the limit of 20971520/,
    ],
    [
      "a compression bomb",
      { ...json, "Content-Encoding": "gzip" },
      gzipSync(Buffer.alloc(200_000_000)),
      413,
      "application/json",
      /over the limit of 20971520 bytes when decompressed/,
    ],
    [
      "a snappy bomb",
      { ...json, "Content-Encoding": "snappy" },
      snappyBomb(),
      413,
      "application/json",
      /over the limit of 20971520 bytes when decompressed/,
    ],
    [
      "not snappy",
      { ...json, "Content-Encoding": "snappy" },
      "x",
      400,
      "application/json",
      /request body is not snappy/,
    ],
    [
      "a zstd bomb",
      { ...json, "Content-Encoding": "zstd" },
      zstdCompressSync(Buffer.alloc(200_000_000)),
      413,
      "application/json",
      /over the limit of 20971520 bytes when decompressed/,
    ],
  ])("%s", async (_, headers, body, status, type, text) => {
    const got = await post(headers, body);
    expect([got.status, got.type]).toEqual([status, type]);
    expect(got.body.toString()).toMatch(text);
    expect((await post(json, oneSpanJson())).status).toBe(200);
    expect(await fixture.spans()).toHaveLength(1);
  });

  test.each(["//v1/traces", "/v1//traces"])("path %s is that of spans", async (path) => {
    expect((await post(json, "{}", path)).status).toBe(200);
  });

  test.each(["/v1/metrics", "/v1/logs", "/", "/v1/traces/", "/nowhere?x=1"])("path %s", async (path) => {
    const got = await post(json, "{}", path);
    expect([got.status, got.type, got.body.toString()]).toEqual([
      404,
      "text/plain; charset=utf-8",
      "404 page not found\n",
    ]);
  });

  test.each(["GET", "PUT", "DELETE", "OPTIONS"])("method %s", async (method) => {
    const response = await fetch(`${base}/v1/traces`, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await response.text()).toBe("405 method not allowed, supported: [POST]");
  });

  test("a body of unknown length over the limit", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const call = httpRequest(`${base}/v1/traces`, { method: "POST", headers: protobuf }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      call.on("error", reject);
      for (let i = 0; i < 30; i++) {
        call.write(Buffer.alloc(1_000_000));
      }
      call.end();
    });
    expect(status).toBe(413);
  });

  test("a sender that goes away in the middle of its body", async () => {
    const socket = connect(receiver.port, "127.0.0.1");
    socket.write(
      "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    // After the answer to a later request on another connection, the server must have the head of this request.
    expect((await post(json, oneSpanJson())).status).toBe(200);
    socket.destroy();
    expect((await post(json, oneSpanJson())).status).toBe(200);
    expect(await fixture.spans()).toHaveLength(2);
  });
});

describe("refusals", () => {
  test("a full journal answers 429 with Retry-After, and keeps nothing", async () => {
    await receiver.stop(AbortSignal.abort());
    await fixture.close();
    await open(roomForOneSpan);
    expect((await post(json, oneSpanJson())).status).toBe(200);
    const got = await post(json, oneSpanJson());
    expect([got.status, got.retryAfter, got.type]).toEqual([429, "5", "application/json"]);
    expect(JSON.parse(got.body.toString())).toMatchObject({ code: 8 });
    expect(await fixture.metric("spans_refused_total", "COLLECTOR_JOURNAL_FULL")).toBe(1);
    expect(await fixture.spans()).toHaveLength(1);
  });

  test("a request that would not fit an empty journal is 413 without Retry-After", async () => {
    await receiver.stop(AbortSignal.abort());
    await fixture.close();
    await open(100);
    const got = await post(json, oneSpanJson());
    expect([got.status, got.retryAfter]).toEqual([413, null]);
    expect(JSON.parse(got.body.toString())).toMatchObject({ code: 3 });
  });

  test("a collector that stops answers 503 with Retry-After", async () => {
    await fixture.journal.finish();
    const got = await post(protobuf, oneSpanProtobuf());
    expect([got.status, got.retryAfter]).toEqual([503, "1"]);
    expect(got.body.toString()).toMatch("\x08\x0e\x12");
  });
});

test("a taken port is a start error that says what to do", async () => {
  const address = { ...anyPort.address, port: receiver.port, text: `127.0.0.1:${receiver.port}` };
  await expect(
    openOtlpHttp(
      { address, what: "OTLP over HTTP", flag: "collector.otlp.http.host-port" },
      { timeouts: usualTimeouts },
      fixture.context,
    ),
  ).rejects.toThrow(/^OTLP over HTTP: address .* is taken .* --collector.otlp.http.host-port$/);
});

test("a stop lets the request under way end", async () => {
  const call = httpRequest(`${base}/v1/traces`, { method: "POST", headers: json });
  const response = new Promise<number | undefined>((resolve, reject) => {
    call.on("response", (got) => {
      got.resume();
      resolve(got.statusCode);
    });
    call.on("error", reject);
  });
  const body = oneSpanJson();
  call.write(body.slice(0, 10));
  await post(json, oneSpanJson());
  const stopped = receiver.stop(new AbortController().signal);
  call.end(body.slice(10));
  expect(await response).toBe(200);
  await stopped;
  expect(await fixture.spans()).toHaveLength(2);
});

describe("tenancy", () => {
  beforeEach(async () => {
    await receiver.stop(AbortSignal.abort());
    await fixture.close();
    await open(undefined, twoTenants);
  });

  test("spans belong to the tenant that the header names", async () => {
    expect((await post({ ...json, "X-Tenant": "acme" }, oneSpanJson())).status).toBe(200);
    expect((await post({ ...protobuf, "X-Tenant": "beta" }, oneSpanProtobuf("y"))).status).toBe(200);
    expect(await fixture.spansByTenant()).toEqual([
      ["acme", "x"],
      ["beta", "y"],
    ]);
  });

  test.each([
    [json, '{"code":7,"message":"missing tenant header"}'],
    [protobuf, "\x08\x07\x12\x15missing tenant header"],
    [{ ...json, "X-Tenant": "nobody" }, '{"code":7,"message":"unknown tenant"}'],
  ])("%j is 403", async (headers, body) => {
    const got = await post(headers, "");
    expect([got.status, got.type, got.body.toString()]).toEqual([403, headers["Content-Type"], body]);
    expect(await fixture.metric("requests_total", "invalid")).toBe(1);
  });
});

describe("pages of other sites", () => {
  test("a preflight request is answered, whatever its path", async () => {
    const response = await fetch(`${base}/nowhere`, {
      method: "OPTIONS",
      headers: { Origin: "https://shop.example", "Access-Control-Request-Method": "POST" },
    });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://shop.example",
    ]);
  });

  test("answers, good and bad, may be read by pages of allowed origins only", async () => {
    const allowed = async (origin: string, body: string) => {
      const response = await fetch(`${base}/v1/traces`, {
        method: "POST",
        headers: { ...json, Origin: origin },
        body,
      });
      await response.arrayBuffer();
      return [response.status, response.headers.get("access-control-allow-origin")];
    };
    expect(await allowed("https://shop.example", "{}")).toEqual([200, "https://shop.example"]);
    expect(await allowed("https://shop.example", "{")).toEqual([400, "https://shop.example"]);
    expect(await allowed("https://evil.test", "{}")).toEqual([200, null]);
  });
});
