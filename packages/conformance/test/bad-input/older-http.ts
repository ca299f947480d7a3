import { randomBytes } from "node:crypto";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { encodeThriftBatch } from "wire/testing/encode-agent-packet";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { eventually } from "../../src/expect.ts";
import { type Answer, ask, askTraces } from "../../src/tracing-api/ask.ts";
import { thriftBatchOfNow } from "./agent-udp.ts";
import { head, rawHttp } from "./raw-http.ts";
import { staysUnharmed } from "./unharmed.ts";

type Body = Uint8Array<ArrayBuffer>;
const bytes = (data: string | Uint8Array): Body => new Uint8Array(Buffer.from(data as Uint8Array));

interface OlderDoor {
  readonly url: () => string;
  readonly type: string;
}

/**
 * Requirements of every HTTP port for spans: it survives too large bodies, decompression bombs, and malformed
 * HTTP.
 */
function framing({ url, type }: OlderDoor): void {
  test.each<[string, () => Uint8Array, string, number]>([
    ["50 MB", () => Buffer.alloc(50e6, " "), "identity", 413],
    ["a gzip bomb of 150 MB", () => gzipSync(Buffer.alloc(150e6, " ")), "gzip", 413],
    ["a zstd bomb of 150 MB", () => zstdCompressSync(Buffer.alloc(150e6, " ")), "zstd", 413],
    ["a deflate bomb of 150 MB", () => deflateSync(Buffer.alloc(150e6, " ")), "deflate", 413],
    ["what is no gzip", () => Buffer.from("no gzip"), "gzip", 400],
    ["gzip that ends early", () => gzipSync(randomBytes(1_000)).subarray(0, 500), "gzip", 400],
    ["an unknown encoding", () => Buffer.from("x"), "constructor", 415],
  ])("%s is refused as a body", async (_, body, encoding, status) => {
    const headers = { "Content-Type": type, "Content-Encoding": encoding };
    expect((await ask(url(), { method: "POST", headers, body: bytes(body()) })).status).toBe(status);
  });

  const lines = (path: string) => [`POST ${path} HTTP/1.1`, "Host: x", `Content-Type: ${type}`];
  test.each<[string, (path: string) => string, number]>([
    [
      "a body shorter than its Content-Length",
      (path) => `${head(...lines(path), "Content-Length: 500")}[]`,
      400,
    ],
    ["a Content-Length of 99 GB", (path) => head(...lines(path), "Content-Length: 99999999999"), 413],
    ["a negative Content-Length", (path) => head(...lines(path), "Content-Length: -1"), 400],
    [
      "two lengths",
      (path) => `${head(...lines(path), "Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`,
      400,
    ],
    ["a broken chunk", (path) => `${head(...lines(path), "Transfer-Encoding: chunked")}zz\r\n\r\n`, 400],
    ["a header of 17 KiB", (path) => head(...lines(path), `A: ${"a".repeat(17 * 1024)}`), 431],
    ["what is no HTTP", () => "\0\x01\x02 hello\r\n\r\n", 400],
    ["an HTTP/2 preface", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ])("%s is refused", async (_, text, status) => {
    const { text: answer } = await rawHttp(url(), text(new URL(url()).pathname), { halfClose: true });
    expect(answer).toContain(`HTTP/1.1 ${status} `);
  });
}

/** Thrift over HTTP. */
export function thriftHttp(backend: () => AllProcesses): void {
  const type = "application/x-thrift";
  const url = () => `${backend().collectorHttp}/api/traces`;
  const batch = (id = randomBytes(4).readUInt32BE() >>> 1) =>
    encodeThriftBatch(thriftBatchOfNow(id), "binary");
  const post = (body: Uint8Array): Promise<Answer> =>
    ask(url(), { method: "POST", headers: { "Content-Type": type }, body: bytes(body) });

  staysUnharmed({
    process: () => backend().collector,
    good: async () => expect((await post(batch())).status).toBe(202),
    maxGrowthMiB: 192,
  });
  framing({ url, type });

  test.each<[string, () => Uint8Array]>([
    ["nothing", () => Buffer.alloc(0)],
    ["bytes that are no Thrift", () => Buffer.from("no thrift at all")],
    ["a batch that ends early", () => batch().subarray(0, 60)],
    ["a list of two thousand million spans", () => Buffer.from("0f00020c7fffffff00", "hex")],
    ["a text of negative length", () => Buffer.from("0c00010b0001ffffffff", "hex")],
    ["unknown structs without end", () => Buffer.alloc(6_000_000, Buffer.from("0c0063", "hex"))],
  ])("%s is 400", async (_, body) => {
    expect(await post(body())).toMatchObject({ status: 400, text: expect.stringMatching(/^Unable to /) });
  });

  test("nothing is kept of a batch that breaks off behind a good span", async () => {
    const [broken, after] = [0x7a000001, randomBytes(4).readUInt32BE() >>> 1];
    const two = {
      ...thriftBatchOfNow(broken),
      spans: [thriftBatchOfNow(broken), thriftBatchOfNow(broken)].flatMap(({ spans }) => spans),
    };
    expect((await post(encodeThriftBatch(two, "binary").subarray(0, -9))).status).toBe(400);
    expect((await post(batch(after))).status).toBe(202);
    const traces = `${backend().addresses.query}/api/traces`;
    await eventually(() => askTraces(`${traces}/${after.toString(16)}`), 5_000);
    expect((await ask(`${traces}/${broken.toString(16)}`)).status).toBe(404);
  });
}

/** Zipkin's port with JSON; the tests of the decoders cover its other formats. */
export function zipkinHttp(backend: () => AllProcesses): void {
  const type = "application/json";
  const url = () => `${backend().zipkin}/api/v2/spans`;
  const span = (traceId = randomBytes(16).toString("hex")) =>
    JSON.stringify({ traceId, id: randomBytes(8).toString("hex"), timestamp: Date.now() * 1_000, name: "w" });
  const post = (body: string | Uint8Array, contentType = type, path = url()): Promise<Answer> =>
    ask(path, { method: "POST", headers: { "Content-Type": contentType }, body: bytes(body) });

  staysUnharmed({
    process: () => backend().collector,
    good: async () => expect((await post(`[${span()}]`)).status).toBe(202),
    maxGrowthMiB: 256,
  });
  framing({ url, type });

  test.each<[string, string, string, () => string | Uint8Array]>([
    ["v2", type, "nothing", () => ""],
    ["v2", type, "19 million brackets", () => "[".repeat(19 * 1024 * 1024)],
    ["v2", type, "a number of ten million digits", () => `[{"timestamp":${"1".repeat(1e7)}}]`],
    ["v2", type, "ids of a wrong length", () => `[${span("1".repeat(33))}]`],
    ["v2", type, "text that is no UTF-8", () => Buffer.from('[{"name":"\xff"}]', "latin1")],
    ["v2", "application/x-protobuf", "a length of four gigabytes", () => Buffer.from("0affffffff0f", "hex")],
    ["v2", "application/x-protobuf", "bytes that are no protobuf", () => "no protobuf at all"],
    ["v1", type, "an object", () => "{}"],
    ["v1", type, "ids of a wrong length", () => `[${span("abc")}]`],
    ["v1", "application/x-thrift", "a list of two thousand million", () => Buffer.from("0c7fffffff", "hex")],
    ["v1", "application/x-thrift", "bytes that are no Thrift", () => "no thrift at all"],
  ])("%s, %s: %s is 400", async (version, contentType, _, body) => {
    const answer = await post(body(), contentType, url().replace("v2", version));
    expect(answer).toMatchObject({ status: 400, text: expect.stringMatching(/^.+\n$/) });
  });

  test("nothing is kept of a list that breaks off behind a good span", async () => {
    const [broken, after] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
    expect((await post(`[${span(broken)},{"traceId":"zz"`)).status).toBe(400);
    expect((await post(`[${span(after)}]`)).status).toBe(202);
    const traces = `${backend().addresses.query}/api/traces`;
    await eventually(() => askTraces(`${traces}/${after}`), 5_000);
    expect((await ask(`${traces}/${broken}`)).status).toBe(404);
  });
}

/** The agent's HTTP port, at which clients ask for sampling strategies. */
export function agentHttp(backend: () => AllProcesses): void {
  const good = async () => {
    const { status, text } = await ask(`${backend().agentHttp}/sampling?service=shop`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { strategyType: "PROBABILISTIC", probabilisticSampling: { samplingRate: 0.001 } },
    ]);
  };
  staysUnharmed({ process: () => backend().agent, good, maxGrowthMiB: 64 });

  test.each<[string, string, number]>([
    ["no service", "/sampling", 400],
    ["two services", "/sampling?service=a&service=b", 400],
    ["a service of 10 KB", `/sampling?service=${"a".repeat(10_000)}`, 200],
    ["percent signs without digits", "/?service=%zz", 400],
    ["another path", "/nope", 404],
  ])("%s", async (_, path, status) => {
    expect((await ask(backend().agentHttp + path)).status).toBe(status);
  });

  test.each<[string, string, number]>([
    ["a header of 17 KiB", head("GET /sampling HTTP/1.1", "Host: x", `A: ${"a".repeat(17 * 1024)}`), 431],
    ["what is no HTTP", "\0\x01\x02 hello\r\n\r\n", 400],
    [
      "two lengths",
      head("GET / HTTP/1.1", "Host: x", "Content-Length: 5", "Transfer-Encoding: chunked"),
      400,
    ],
  ])("%s is refused", async (_, text, status) => {
    const { text: answer } = await rawHttp(backend().agentHttp, text, { halfClose: true });
    expect(answer).toContain(`HTTP/1.1 ${status} `);
  });
}
