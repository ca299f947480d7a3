import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { TenancyOptions } from "lifecycle";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  anyPort,
  openReceiverFixture,
  type ReceiverFixture,
  roomForOneSpan,
  twoTenants,
  usualTimeouts,
} from "../../test/receiver-fixture.ts";
import { Cors } from "./cors.ts";
import type { Receiver } from "./receiver.ts";
import { openZipkin } from "./zipkin.ts";

let fixture: ReceiverFixture;
let receiver: Receiver;
let base: string;

async function open(maxBytes?: number, tenancy?: TenancyOptions, keepAlive = true): Promise<void> {
  fixture = await openReceiverFixture(maxBytes, tenancy);
  const cors = Cors.of(["https://shop.example"], []);
  receiver = await openZipkin(anyPort, { timeouts: usualTimeouts, cors, keepAlive }, fixture.context);
  base = `http://127.0.0.1:${receiver.port}`;
}

async function close(): Promise<void> {
  await receiver.stop(AbortSignal.abort());
  await fixture.close();
}

beforeEach(() => open());
afterEach(close);

type Body = string | Buffer<ArrayBuffer>;

async function send(path: string, headers: Record<string, string>, body: Body, method = "POST") {
  const response = await fetch(base + path, { method, headers, body: Buffer.from(body) });
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    text: await response.text(),
  };
}

const json = { "Content-Type": "application/json" };
const ids = { traceId: "00000000000000aa", id: "00000000000000bb" };
const v2 = JSON.stringify([{ ...ids, name: "get", localEndpoint: { serviceName: "shop" } }]);
const v1 = JSON.stringify([
  { ...ids, name: "get", annotations: [{ timestamp: 1, value: "sr", endpoint: { serviceName: "shop" } }] },
]);
/** `ListOfSpans` of one span: trace id, id, name, local endpoint. */
const v2Proto = Buffer.from(
  `0a21${"0a0800000000000000aa"}${"1a0800000000000000bb"}${"2a03676574"}${"4206"}${"0a0473686f70"}`,
  "hex",
);
/** A list of one zipkincore span in the binary protocol: trace id, name, id, an annotation "sr". */
const v1Thrift = Buffer.from(
  [
    "0c00000001",
    "0a000100000000000000aa",
    "0b000300000003676574",
    "0a000400000000000000bb",
    "0f00060c00000001",
    "0a00010000000000000001",
    "0b0002000000027372",
    "0c0003080001000000000600020000",
    "0b00030000000473686f7000",
    "00",
    "0f00080c00000000",
    "00",
  ].join(""),
  "hex",
);

describe("spans are kept", () => {
  test.each<[string, string, string, Body]>([
    ["v2 JSON", "/api/v2/spans", "application/json", v2],
    ["v2 JSON on any path, of any type", "/anything?x=api/v1/spans", "text/plain", v2],
    ["v2 protobuf", "/api/v2/spans", "application/x-protobuf", v2Proto],
    ["v1 JSON", "/api/v1/spans", "application/json", v1],
    ["v1 JSON below a prefix", "/zipkin/api/v1/spans/", "application/x-thrift; charset=binary", v1],
    ["v1 Thrift", "/api/v1/spans", "application/x-thrift", v1Thrift],
  ])("%s", async (_, path, type, body) => {
    expect(await send(path, { "Content-Type": type }, body)).toEqual({
      status: 202,
      retryAfter: null,
      text: "",
    });
    expect(await fixture.spans()).toMatchObject([
      {
        traceId: "000000000000000000000000000000aa",
        spanId: "00000000000000bb",
        name: "get",
        format: "zipkin",
        resource: { serviceName: "shop" },
      },
    ]);
    expect(await fixture.metric("spans_received_total", "zipkin", "http", "shop")).toBe(1);
  });

  test.each([
    ["gzip", gzipSync(v2)],
    ["deflate", deflateSync(v2)],
    ["zlib", deflateSync(v2)],
    ["zstd", zstdCompressSync(v2)],
  ])("%s", async (encoding, body) => {
    expect((await send("/api/v2/spans", { ...json, "Content-Encoding": encoding }, body)).status).toBe(202);
    expect(await fixture.spans()).toHaveLength(1);
  });

  test.each(["PUT", "PATCH", "DELETE"])("by %s too", async (method) => {
    expect((await send("/api/v2/spans", json, v2, method)).status).toBe(202);
    expect(await fixture.spans()).toHaveLength(1);
  });

  test("an empty list is fine", async () => {
    expect((await send("/api/v2/spans", json, "[]")).status).toBe(202);
    expect((await send("/api/v1/spans", json, "[]")).status).toBe(202);
    expect(fixture.journal.segments).toBe(0);
  });
});

describe("bad requests get their line of text, and the next is served", () => {
  test.each<[string, string, Record<string, string>, Body, RegExp]>([
    ["an empty body", "/api/v2/spans", json, "", /^unexpected end of JSON input\n$/],
    ["no JSON", "/api/v2/spans", json, "hello", /./],
    ["no list", "/api/v2/spans", json, "{}", /^json: cannot unmarshal object/],
    ["a span cut short", "/api/v2/spans", json, v2.slice(0, 50), /^unexpected end of JSON input\n$/],
    ["an id that is none", "/api/v2/spans", json, '[{"traceId":"zz","id":"1"}]', /parsing "zz"/],
    ["v1, no JSON", "/api/v1/spans", json, "", /^zipkinv1: unexpected end of JSON input\n$/],
    [
      "v1, a short id",
      "/api/v1/spans",
      json,
      '[{"traceId":"1"}]',
      /^zipkinV1 span traceId: hex traceId span has/,
    ],
    ["v1, no Thrift", "/api/v1/spans", { "Content-Type": "application/x-thrift" }, "hello", /./],
    ["no protobuf", "/", { "Content-Type": "application/x-protobuf" }, v2Proto.subarray(0, 20), /./],
    ["not gzip", "/", { ...json, "Content-Encoding": "gzip" }, v2, /^request body is not gzip/],
  ])("%s is 400", async (_, path, headers, body, text) => {
    const got = await send(path, headers, body);
    expect([got.status, got.text]).toEqual([400, expect.stringMatching(text)]);
    expect(await fixture.metric("requests_total", "zipkin", "invalid")).toBe(1);
    expect((await send("/api/v2/spans", json, v2)).status).toBe(202);
    expect(await fixture.spans()).toHaveLength(1);
  });

  test("a GET, which has no body, is 400", async () => {
    const response = await fetch(`${base}/api/v2/spans`);
    expect([response.status, await response.text()]).toEqual([400, "unexpected end of JSON input\n"]);
  });

  test("another encoding is 415, and the answer says which are taken", async () => {
    const got = await send("/", { ...json, "Content-Encoding": "br" }, v2);
    expect([got.status, got.text]).toEqual([415, "unsupported Content-Encoding: br\n"]);
  });

  test("one bad span is rejected alone, and a list of no other is refused", async () => {
    const bad = '{"traceId":"zz","id":"1"}';
    expect((await send("/api/v2/spans", json, `[${bad}]`)).status).toBe(400);
    expect(fixture.journal.segments).toBe(0);
    expect((await send("/api/v2/spans", json, `[${v2.slice(1, -1)},${bad}]`)).status).toBe(202);
    expect(await fixture.spans()).toHaveLength(1);
    expect(await fixture.metric("spans_rejected_total", "zipkin")).toBe(1);
  });

  test.each([
    ["a 30 MB body", json, Buffer.alloc(30_000_000, " ")],
    ["a bomb", { ...json, "Content-Encoding": "gzip" }, gzipSync(Buffer.alloc(200_000_000, " "))],
  ])("%s is 413", async (_, headers, body) => {
    const got = await send("/api/v2/spans", headers, body);
    expect([got.status, got.text]).toEqual([413, expect.stringMatching(/over the limit of 20971520/)]);
  });
});

describe("refusals", () => {
  test("a full journal answers 429 with Retry-After", async () => {
    await close();
    await open(roomForOneSpan);
    expect((await send("/", json, v2)).status).toBe(202);
    const got = await send("/", json, v2);
    expect([got.status, got.retryAfter]).toEqual([429, "5"]);
  });

  test("a collector that stops answers 503 with Retry-After", async () => {
    await fixture.journal.finish();
    const got = await send("/", json, v2);
    expect([got.status, got.retryAfter]).toEqual([503, "1"]);
  });
});

describe("tenancy", () => {
  beforeEach(async () => {
    await close();
    await open(undefined, twoTenants);
  });

  test.each<[string, string, Body]>([
    ["/api/v2/spans", "application/json", v2],
    ["/api/v2/spans", "application/x-protobuf", v2Proto],
    ["/api/v1/spans", "application/json", v1],
    ["/api/v1/spans", "application/x-thrift", v1Thrift],
  ])("%s %s: spans belong to the tenant that the header names", async (path, type, body) => {
    expect((await send(path, { "Content-Type": type, "X-Tenant": "acme" }, body)).status).toBe(202);
    expect(await fixture.spansByTenant()).toEqual([["acme", "get"]]);
  });

  test.each([
    [json, "missing tenant header\n"],
    [{ ...json, "X-Tenant": "nobody" }, "unknown tenant\n"],
  ])("%j is 403", async (headers, text) => {
    expect(await send("/", headers, v2)).toEqual({ status: 403, retryAfter: null, text });
    expect(fixture.journal.segments).toBe(0);
  });
});

test("pages of allowed origins may send, after a preflight request", async () => {
  const preflight = await fetch(`${base}/api/v2/spans`, {
    method: "OPTIONS",
    headers: { Origin: "https://shop.example", "Access-Control-Request-Method": "POST" },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([204, "POST"]);
  const response = await fetch(base, {
    method: "POST",
    headers: { ...json, Origin: "https://shop.example" },
    body: v2,
  });
  expect(response.headers.get("access-control-allow-origin")).toBe("https://shop.example");
});

test("without keep-alive the connection ends with the answer", async () => {
  expect((await fetch(base, { method: "POST", body: v2 })).headers.get("connection")).not.toBe("close");
  await close();
  await open(undefined, undefined, false);
  expect((await fetch(base, { method: "POST", body: v2 })).headers.get("connection")).toBe("close");
});
