import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { HttpError } from "../../../http/http-error.ts";
import { type MadeExchange, makeAnswering } from "../../../testing/make-exchange.ts";
import { provisionHandler } from "../../../testing/provision-module.ts";

const all = { encodings: { gzip: {}, br: {}, zstd: {} } };
const text = "compressible ".repeat(1000);
const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

interface Answer {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly chunks?: readonly string[];
  readonly flush?: boolean;
}

async function encoded(
  config: object,
  request: readonly string[],
  answer: Answer = {},
  method = "GET",
): Promise<MadeExchange> {
  const handler = await provisionHandler("encode", config);
  const made = makeAnswering({ headers: request, method });
  await handler.handle(made.exchange, async (exchange) => {
    exchange.responseHeaders.push(...(answer.headers ?? ["Content-Type", "text/plain"]));
    const [first = text, ...others] = answer.chunks ?? [];
    if (others.length === 0 && !answer.flush) {
      exchange.respond(answer.status ?? 200, method === "HEAD" ? "" : first);
      return;
    }
    exchange.writeHead(answer.status ?? 200);
    for (const chunk of [first, ...others]) {
      exchange.write(Buffer.from(chunk));
      if (answer.flush) {
        exchange.flush();
        await new Promise(setImmediate);
      }
    }
    exchange.finish();
  });
  return made;
}

test.each([
  [{}, 4],
  [{ checksum: false }, 0],
])("frames of zstd with %j have the checksum flag %d", async (options, flag) => {
  const made = await encoded({ encodings: { zstd: options } }, ["Accept-Encoding", "zstd"]);
  // Source: RFC 8878, section 3.1.1.1.1: bit 2 of the frame header descriptor, after the magic number
  expect((made.body()[4] ?? 0) & 4).toBe(flag);
});

test.each([
  ["gzip", "gzip"],
  ["br", "br"],
  ["zstd", "zstd"],
  ["gzip, br, zstd", "zstd"],
  ["gzip;q=1, zstd;q=0.1", "gzip"],
] as const)("%s is answered in %s", async (accept, name) => {
  const made = await encoded(all, ["Accept-Encoding", accept], {
    headers: [
      "Content-Type",
      "text/html",
      "Content-Length",
      String(text.length),
      "Accept-Ranges",
      "bytes",
      "Etag",
      '"a"',
    ],
  });
  expect(made.header("content-encoding")).toBe(name);
  expect(decoders[name](made.body()).toString()).toBe(text);
  expect(made.header("content-length")).toBe(String(made.body().length));
  expect(made.header("etag")).toBe(`"a-${name}"`);
  expect(made.header("vary")).toBe("Accept-Encoding");
  expect(made.header("accept-ranges")).toBeUndefined();
});

test.each([
  [["Accept-Encoding", "gzip;q=0"], {}],
  [[], {}],
  [["Accept-Encoding", "gzip"], { chunks: ["short"] }],
  [["Accept-Encoding", "gzip"], { headers: ["Content-Type", "image/png"] }],
  [["Accept-Encoding", "gzip"], { headers: [] }],
  [["Accept-Encoding", "gzip"], { headers: ["Content-Type", "text/plain", "Content-Encoding", "br"] }],
  [
    ["Accept-Encoding", "gzip"],
    { headers: ["Content-Type", "text/plain", "Cache-Control", "private, No-Transform"] },
  ],
  [["Accept-Encoding", "gzip"], { status: 206 }],
  [["Accept-Encoding", "gzip", "Sec-WebSocket-Key", "x"], {}],
])("%j and %j is sent as it is", async (request, answer: Answer) => {
  const made = await encoded(all, request, answer);
  expect(made.body().toString()).toBe(answer.chunks?.[0] ?? text);
  expect(made.header("content-encoding")).toBe(answer.headers?.includes("br") ? "br" : undefined);
});

test("a client that takes nothing is told that others may get another form", async () => {
  expect((await encoded(all, [])).header("vary")).toBe("Accept-Encoding");
});

test("a body in pieces is compressed on its way", async () => {
  for (const flush of [false, true]) {
    const chunks = ["a".repeat(300), "b".repeat(300), "c".repeat(300_000)];
    const made = await encoded(all, ["Accept-Encoding", "gzip"], { chunks, flush });
    expect(made.header("content-encoding")).toBe("gzip");
    expect(gunzipSync(made.body()).toString()).toBe(chunks.join(""));
  }
});

test("small pieces that stay small are sent as they are", async () => {
  const made = await encoded(all, ["Accept-Encoding", "gzip"], { chunks: ["a", "b", "c"] });
  expect([made.body().toString(), made.header("content-encoding")]).toEqual(["abc", undefined]);
});

test("a whole body of any size is compressed", async () => {
  const large = text.repeat(40);
  const made = await encoded(all, ["Accept-Encoding", "zstd"], { chunks: [large] });
  expect(zstdDecompressSync(made.body()).toString()).toBe(large);
});

test("HEAD says what GET would", async () => {
  const headers = ["Content-Type", "text/plain", "Content-Length", "13000", "Etag", '"a"'];
  const made = await encoded(all, ["Accept-Encoding", "gzip"], { headers }, "HEAD");
  expect([made.header("content-encoding"), made.header("etag"), made.header("content-length")]).toEqual([
    "gzip",
    '"a-gzip"',
    undefined,
  ]);
});

test("a client's tag of the coded form is known to handlers, and told again with 304", async () => {
  const handler = await provisionHandler("encode", all);
  const made = makeAnswering({ headers: ["Accept-Encoding", "gzip", "If-None-Match", '"x", "a-gzip"'] });
  await handler.handle(made.exchange, (exchange) => {
    expect(exchange.header("if-none-match")).toBe('"x", "a"');
    exchange.responseHeaders.push("Etag", '"a"');
    exchange.respond(304);
  });
  expect([made.status(), made.header("etag"), made.header("vary")]).toEqual([
    304,
    '"a-gzip"',
    "Accept-Encoding",
  ]);
});

test("a response may be chosen by status and fields", async () => {
  const config = { ...all, match: { status_code: [2], headers: { "X-Zip": ["*"] } }, minimum_length: 3 };
  const zipped = await encoded(config, ["Accept-Encoding", "gzip"], {
    headers: ["X-Zip", "1"],
    chunks: ["abcd"],
  });
  expect(zipped.header("content-encoding")).toBe("gzip");
  const failed = await encoded(config, ["Accept-Encoding", "gzip"], { headers: ["X-Zip", "1"], status: 404 });
  expect(failed.header("content-encoding")).toBeUndefined();
});

test("an error passes, whatever was held back", async () => {
  const handler = await provisionHandler("encode", all);
  const made = makeAnswering({ headers: ["Accept-Encoding", "gzip"] });
  await expect(
    (async () =>
      handler.handle(made.exchange, (exchange) => {
        exchange.responseHeaders.push("Content-Type", "text/plain");
        exchange.writeHead(200);
        exchange.write(Buffer.from("half"));
        throw new HttpError(503);
      }))(),
  ).rejects.toMatchObject({ status: 503 });
  expect(made.exchange.headSent).toBe(false);
});

test.each([
  [{ encodings: { lzw: {} } }, "unknown module: http.encoders.lzw"],
  [{ encodings: { gzip: { level: 10 } } }, "level"],
  [{ encodings: { gzip: {} }, prefer: ["br"] }, "encoding br not enabled"],
  [{ encodings: { gzip: {} }, prefer: ["gzip", "gzip"] }, "encoding gzip is duplicated in prefer"],
])("%j is refused", async (config, message) => {
  await expect(provisionHandler("encode", config)).rejects.toThrow(message);
});
