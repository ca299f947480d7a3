import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { eventually } from "../../src/expect.ts";
import { type Answer, ask, askTraces } from "../../src/tracing-api/ask.ts";
import {
  field,
  jsonHeaders,
  jsonRequest,
  jsonSpan,
  protobufHeaders,
  protobufRequest,
  protobufSpan,
} from "./otlp-spans.ts";
import { head, rawHttp } from "./raw-http.ts";
import { staysUnharmed } from "./unharmed.ts";

const mebibyte = 1024 * 1024;
const service = "bad-otlp-http";

/** A JSON value with this depth of nesting. */
function nested(depth: number): string {
  const values = '{"arrayValue":{"values":['.repeat(depth) + "]}}".repeat(depth);
  return jsonRequest(service, jsonSpan({ attributes: [{ key: "k", value: "here" }] })).replace(
    '"here"',
    values,
  );
}

function nestedProtobuf(depth: number): Buffer {
  let value: Uint8Array = Buffer.alloc(0);
  for (let level = 0; level < depth; level++) {
    value = field(5, field(1, value));
  }
  const attribute = field(9, field(1, Buffer.from("k")), field(2, value));
  return protobufRequest(protobufSpan(randomBytes(16), randomBytes(8), attribute));
}

/** OTLP over HTTP. */
export function otlpHttp(backend: () => AllProcesses): void {
  const url = () => `${backend().addresses.otlpHttp}/v1/traces`;
  const post = (headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>): Promise<Answer> =>
    ask(url(), { method: "POST", headers, body });

  staysUnharmed({
    process: () => backend().collector,
    good: async () =>
      expect(await post(jsonHeaders, jsonRequest(service, jsonSpan()))).toMatchObject({
        status: 200,
        text: '{"partialSuccess":{}}',
      }),
    maxGrowthMiB: 256,
  });

  test.each<[string, () => Buffer]>([
    ["bytes that are no protobuf", () => Buffer.from("no protobuf at all")],
    ["a protobuf message that ends early", () => protobufRequest(randomBytes(40)).subarray(0, 20)],
    ["a field longer than the message", () => Buffer.from([0x0a, 0xff, 0x01, 1, 2])],
    ["a length of four gigabytes", () => Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
  ])("protobuf: %s is 400, in protobuf", async (_, body) => {
    const answer = await post(protobufHeaders, new Uint8Array(body()));
    expect([answer.status, answer.contentType]).toEqual([400, "application/x-protobuf"]);
    expect(answer.text.slice(0, 3), "google.rpc.Status with INVALID_ARGUMENT").toBe("\x08\x03\x12");
  });

  test.each<[string, () => Buffer, rejected: number]>([
    ["a trace id of 3 bytes", () => protobufRequest(protobufSpan(randomBytes(3), randomBytes(8))), 1],
    ["a span id of 9 bytes", () => protobufRequest(protobufSpan(randomBytes(16), randomBytes(9))), 1],
    ["an attribute 10,000 levels deep", () => nestedProtobuf(10_000), 0],
  ])("protobuf: %s costs a span at most", async (_, body, rejected) => {
    const answer = await post(protobufHeaders, new Uint8Array(body()));
    expect(answer.status).toBe(200);
    if (rejected === 0) {
      expect(answer.text).toBe("\x0a\x00");
    } else {
      expect(answer.text).toContain("1 span rejected");
    }
  });

  test.each<[string, () => string]>([
    ["nothing", () => ""],
    ["text that is no JSON", () => "{"],
    ["a list", () => "[]"],
    ["spans that are no list", () => '{"resourceSpans":{}}'],
    ["a number of ten million digits", () => `{"resourceSpans":[${"1".repeat(1e7)}]}`],
    ["an attribute 100,000 levels deep", () => nested(100_000)],
    ["19 million brackets", () => "[".repeat(19 * mebibyte)],
    ["a trace id that is not hex", () => jsonRequest(service, jsonSpan({ traceId: "z".repeat(32) }))],
    ["a time that is no number", () => jsonRequest(service, jsonSpan({ startTimeUnixNano: "now" }))],
    [
      "a time past 64 bits",
      () => jsonRequest(service, jsonSpan({ startTimeUnixNano: "18446744073709551616" })),
    ],
  ])("JSON: %s is 400, in JSON", async (_, body) => {
    const answer = await post(jsonHeaders, body());
    expect([answer.status, answer.contentType]).toEqual([400, "application/json"]);
    expect(JSON.parse(answer.text)).toEqual({ code: 3, message: expect.stringMatching(/./) });
  });

  test.each<[string, string, RequestInit, number]>([
    [
      "another content type",
      "",
      { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" },
      415,
    ],
    ["no content type", "", { method: "POST", body: new Uint8Array(3) }, 415],
    ["a GET", "", { method: "GET" }, 405],
    ["a PUT", "", { method: "PUT", headers: jsonHeaders, body: "{}" }, 405],
    ["another path", "x", { method: "POST", headers: jsonHeaders, body: "{}" }, 404],
    ["a path below", "/..%2f..%2fetc", { method: "POST", headers: jsonHeaders, body: "{}" }, 404],
  ])("%s is refused", async (_, suffix, init, status) => {
    expect((await ask(url() + suffix, init)).status).toBe(status);
  });

  test.each<[string, () => Buffer, string, number]>([
    ["50 MB", () => Buffer.alloc(50e6), "identity", 413],
    ["a gzip bomb of 150 MB", () => gzipSync(Buffer.alloc(150e6)), "gzip", 413],
    ["a zstd bomb of 150 MB", () => zstdCompressSync(Buffer.alloc(150e6)), "zstd", 413],
    ["a deflate bomb of 150 MB", () => deflateSync(Buffer.alloc(150e6)), "deflate", 413],
    ["what is no gzip", () => Buffer.from("no gzip"), "gzip", 400],
    ["gzip that ends early", () => gzipSync(randomBytes(1_000)).subarray(0, 500), "gzip", 400],
    ["an unknown encoding", () => Buffer.from("x"), "constructor", 415],
  ])("%s is refused as a body", async (_, body, encoding, status) => {
    const headers = { ...protobufHeaders, "Content-Encoding": encoding };
    expect((await post(headers, new Uint8Array(body()))).status).toBe(status);
  });

  const fields = ["POST /v1/traces HTTP/1.1", "Host: x", "Content-Type: application/json"];
  test.each<[string, string, number]>([
    ["a body shorter than its Content-Length", `${head(...fields, "Content-Length: 500")}{}`, 400],
    ["a Content-Length of 99 GB", head(...fields, "Content-Length: 99999999999"), 413],
    ["a negative Content-Length", head(...fields, "Content-Length: -1"), 400],
    ["two lengths", `${head(...fields, "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`, 400],
    ["a broken chunk", `${head(...fields, "Transfer-Encoding: chunked")}zz\r\n\r\n`, 400],
    ["a header of 17 KiB", head(...fields, `A: ${"a".repeat(17 * 1024)}`), 431],
    ["what is no HTTP", "\0\x01\x02 hello\r\n\r\n", 400],
    ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ])("%s is refused", async (_, text, status) => {
    const { text: answer } = await rawHttp(url(), text, { halfClose: true });
    expect(answer).toContain(`HTTP/1.1 ${status} `);
  });

  test("a header of 1 MiB is refused, or cut while it comes", async () => {
    const { status } = await rawHttp(url(), head(...fields, `A: ${"a".repeat(mebibyte)}`));
    expect([431, 0]).toContain(status);
  });

  test("empty ids are left out and counted, and the rest is kept", async () => {
    const kept = jsonSpan();
    const spans = [
      jsonSpan({ traceId: "0".repeat(32) }),
      kept,
      jsonSpan({ spanId: "0".repeat(16) }),
      jsonSpan({ spanId: "" }),
    ];
    const json = JSON.parse((await post(jsonHeaders, jsonRequest(service, ...spans))).text);
    expect(json.partialSuccess.rejectedSpans).toBe("3");
    expect(json.partialSuccess.errorMessage).toMatch(/^3 spans rejected/);
    await eventually(async () => {
      const [trace] = await askTraces(`${backend().addresses.query}/api/traces/${kept.traceId}`);
      expect(trace?.spans.length).toBe(1);
    }, 5_000);

    const protobuf = protobufRequest(
      protobufSpan(Buffer.alloc(16), randomBytes(8)),
      protobufSpan(randomBytes(16), Buffer.alloc(8)),
      protobufSpan(randomBytes(16), randomBytes(8)),
    );
    const { status, text } = await post(protobufHeaders, new Uint8Array(protobuf));
    // ExportTraceServiceResponse { partial_success { rejected_spans: 2, error_message } }
    expect(status).toBe(200);
    expect(text.slice(0, 8)).toContain("\x08\x02\x12");
  });

  test("nothing is kept of a request that breaks off behind a good span", async () => {
    const [inJson, inProtobuf, after] = [jsonSpan(), randomBytes(16), jsonSpan()];
    const whole = jsonRequest(service, inJson, jsonSpan());
    expect((await post(jsonHeaders, whole.slice(0, -10))).status).toBe(400);
    const bytes = protobufRequest(
      protobufSpan(inProtobuf, randomBytes(8)),
      protobufSpan(randomBytes(16), randomBytes(8)),
    );
    expect((await post(protobufHeaders, new Uint8Array(bytes.subarray(0, -10)))).status).toBe(400);
    await post(jsonHeaders, jsonRequest(service, after));
    const traces = `${backend().addresses.query}/api/traces`;
    await eventually(() => askTraces(`${traces}/${after.traceId}`), 5_000);
    expect((await ask(`${traces}/${inJson.traceId}`)).status).toBe(404);
    expect((await ask(`${traces}/${inProtobuf.toString("hex")}`)).status).toBe(404);
  });

  test("a hundred senders that never finish hold nobody up, nor do they when they go away", async () => {
    const { hostname, port } = new URL(url());
    const text = `${head(...fields, "Content-Length: 20000000")}${"x".repeat(100_000)}`;
    const sockets = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = connect(Number(port), hostname);
        socket.on("error", () => {});
        await new Promise<void>((resolve) => socket.write(text, () => resolve()));
        return socket;
      }),
    );
    expect((await post(jsonHeaders, jsonRequest(service, jsonSpan()))).status).toBe(200);
    for (const socket of sockets) {
      socket.destroy();
    }
  });
}
