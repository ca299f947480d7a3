import { brotliDecompressSync, constants, gunzipSync, gzipSync, zstdDecompressSync } from "node:zlib";
import { HttpError } from "http-engine/http-error";
import { type MadeExchange, makeAnswering } from "http-engine/testing/make-exchange";
import { expect, test, vi } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

const all = { encodings: { gzip: {}, br: {}, zstd: {} } };
const text = "compressible ".repeat(1000);
const decoders = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

/** A client's part of a body that continues. */
function decodeStarted(name: keyof typeof decoders, body: Buffer): string {
  switch (name) {
    case "gzip":
      return gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    case "br":
      return brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH }).toString();
    default:
      return zstdDecompressSync(body, { finishFlush: constants.ZSTD_e_flush }).toString();
  }
}

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

test.each([-3, -2, -1, 9])("gzip of level %d can be unpacked", async (level) => {
  const made = await encoded({ encodings: { gzip: { level } } }, ["Accept-Encoding", "gzip"]);
  expect(gunzipSync(made.body()).toString()).toBe(text);
});

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

test.each([false, true])("a body in pieces is compressed on its way, flushed: %s", async (flush) => {
  const chunks = ["a".repeat(600), "b".repeat(300), "c".repeat(300_000)];
  const made = await encoded(all, ["Accept-Encoding", "gzip"], { chunks, flush });
  expect(made.header("content-encoding")).toBe("gzip");
  expect(gunzipSync(made.body()).toString()).toBe(chunks.join(""));
});

test("the first piece of a body of unknown length says whether it is worth it", async () => {
  const chunks = ["a".repeat(300), "b".repeat(300), "c".repeat(300_000)];
  const slow = await encoded(all, ["Accept-Encoding", "gzip"], { chunks, flush: true });
  expect([slow.header("content-encoding"), slow.header("vary")]).toEqual([undefined, undefined]);
  expect(slow.body().toString()).toBe(chunks.join(""));
  const headers = ["Content-Type", "text/plain", "Content-Length", "300600"];
  const declared = await encoded(all, ["Accept-Encoding", "gzip"], { chunks, flush: true, headers });
  expect(declared.header("content-encoding")).toBe("gzip");
  expect(gunzipSync(declared.body()).toString()).toBe(chunks.join(""));
});

test.each(["text/event-stream", "text/event-stream; charset=utf-8"])(
  "of %s each event leaves",
  async (type) => {
    for (const name of ["gzip", "br", "zstd"] as const) {
      const handler = await provisionHandler("encode", all);
      const made = makeAnswering({ headers: ["Accept-Encoding", name] });
      const flushed = vi.spyOn(made.exchange.stream, "flush");
      await handler.handle(made.exchange, async (exchange) => {
        exchange.responseHeaders.push("Content-Type", type);
        exchange.writeHead(200);
        expect(made.status()).toBe(200); // before its first event
        let text = "";
        for (const event of ["data: 1\n\n", "data: 2\n\n"]) {
          text += event;
          exchange.write(Buffer.from(event));
          const calls = flushed.mock.calls.length;
          await vi.waitFor(() => expect(flushed.mock.calls.length).toBeGreaterThan(calls), {
            timeout: 60_000,
          });
          expect(decodeStarted(name, made.body())).toBe(text);
        }
        exchange.finish();
      });
      expect(decoders[name](made.body()).toString()).toBe("data: 1\n\ndata: 2\n\n");
    }
  },
);

test("an event stream without events has no body", async () => {
  const made = await encoded(all, ["Accept-Encoding", "gzip"], {
    headers: ["Content-Type", "text/event-stream"],
    chunks: [""],
  });
  expect([made.header("content-encoding"), made.body().length]).toEqual(["gzip", 0]);
});

test("pieces that follow one another are compressed together", async () => {
  const lines = Array.from({ length: 400 }, (_, index) =>
    `line ${index} of a long text: ${index % 7}\n`.repeat(40),
  );
  const handler = await provisionHandler("encode", all);
  const made = makeAnswering({ headers: ["Accept-Encoding", "gzip"] });
  await handler.handle(made.exchange, async (exchange) => {
    exchange.responseHeaders.push("Content-Type", "text/plain");
    exchange.writeHead(200);
    for (const line of lines) {
      if (!exchange.write(Buffer.from(line))) {
        await new Promise<void>((resolve) => exchange.onceDrain(resolve));
      }
    }
    exchange.finish();
  });
  const whole = gzipSync(lines.join(""), { level: 5 }).length;
  expect(gunzipSync(made.body()).toString()).toBe(lines.join(""));
  expect(made.body().length).toBeLessThan(whole * 1.01);
});

test("a response that fails half-way hands on what came before", async () => {
  const handler = await provisionHandler("encode", all);
  const made = makeAnswering({ headers: ["Accept-Encoding", "gzip"] });
  await expect(
    (async () =>
      handler.handle(made.exchange, async (exchange) => {
        exchange.responseHeaders.push("Content-Type", "text/event-stream");
        exchange.writeHead(200);
        await new Promise(setImmediate);
        exchange.write(Buffer.from("data: 1\n\n"));
        throw new HttpError(502);
      }))(),
  ).rejects.toMatchObject({ status: 502 });
  expect(decodeStarted("gzip", made.body())).toBe("data: 1\n\n");
});

test.each([
  [512, undefined],
  [513, "gzip"],
])("a body of %d bytes is sent in the coding %s", async (length, coding) => {
  for (const declared of [[], ["Content-Length", String(length)]]) {
    const headers = ["Content-Type", "text/plain", ...declared];
    for (const flush of [false, true]) {
      const made = await encoded(all, ["Accept-Encoding", "gzip"], {
        chunks: ["a".repeat(length)],
        headers,
        flush,
      });
      expect(made.header("content-encoding")).toBe(coding);
    }
  }
});

test("small pieces that stay small are sent as they are", async () => {
  const made = await encoded(all, ["Accept-Encoding", "gzip"], { chunks: ["a", "b", "c"] });
  expect([made.body().toString(), made.header("content-encoding")]).toEqual(["abc", undefined]);
});

test("a length is told where one was told, or the body came whole", async () => {
  const accept = ["Accept-Encoding", "gzip"];
  const pieces = await encoded(all, accept, { chunks: [text, text] });
  expect([pieces.header("content-encoding"), pieces.header("content-length")]).toEqual(["gzip", undefined]);
  const headers = ["Content-Type", "text/plain", "Content-Length", String(text.length * 2)];
  for (const made of [
    await encoded(all, accept, { chunks: [text, text], headers }),
    await encoded(all, accept),
  ]) {
    expect(made.header("content-length")).toBe(String(made.body().length));
  }
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

test.each([
  ["short", ["short"], undefined],
  ["long", [text], "gzip"],
  ["longer than what is held", [text, ...Array.from({ length: 20 }, () => text)], "gzip"],
])("HEAD says what GET would of a body that is printed all the same: %s", async (_, chunks, coding) => {
  const handler = await provisionHandler("encode", all);
  const made = makeAnswering({ headers: ["Accept-Encoding", "gzip"], method: "HEAD" });
  await handler.handle(made.exchange, (exchange) => {
    exchange.responseHeaders.push("Content-Type", "text/plain");
    exchange.writeHead(200);
    for (const chunk of chunks) {
      exchange.write(Buffer.from(chunk));
    }
    exchange.finish();
  });
  expect([made.header("content-encoding"), made.header("vary")]).toEqual([
    coding,
    coding === undefined ? undefined : "Accept-Encoding",
  ]);
});

test("of two, the outer one is told the length that a body of HEAD would have", async () => {
  const outer = await provisionHandler("encode", { ...all, minimum_length: 1 });
  const inner = await provisionHandler("encode", all);
  const made = makeAnswering({ method: "HEAD" });
  await outer.handle(made.exchange, (exchange) =>
    inner.handle(exchange, () => {
      exchange.responseHeaders.push("Content-Type", "text/plain");
      exchange.writeHead(200);
      exchange.finish("short");
    }),
  );
  expect(made.header("vary")).toBe("Accept-Encoding");
});

test.each([
  ["words ".repeat(200), "text/plain; charset=utf-8", "gzip"],
  ["part ".repeat(200), "text/plain; charset=utf-8", undefined, 206],
  ["\x89PNG\r\n\x1a\n".repeat(200), "image/png", undefined],
  ["short", undefined, undefined],
] as [string, string | undefined, string | undefined, number?][])(
  "a body whose type nobody names gets one by its first bytes where it is long: %j",
  async (body, type, coding, status = 200) => {
    const handler = await provisionHandler("encode", all);
    const made = makeAnswering({ headers: ["Accept-Encoding", "gzip"] });
    await handler.handle(made.exchange, (exchange) => exchange.respond(status, Buffer.from(body, "latin1")));
    expect([made.header("content-type"), made.header("content-encoding")]).toEqual([type, coding]);
  },
);

test("the answer to a handshake that nobody takes is not coded, but varies", async () => {
  const made = await encoded(all, ["Accept-Encoding", "gzip", "Sec-WebSocket-Key", "x"]);
  expect([made.header("content-encoding"), made.header("vary")]).toEqual([undefined, "Accept-Encoding"]);
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

test.each([
  ["text", [`<p>${text}`, text], ["text/html; charset=utf-8", "gzip"]],
  ["no text", [`\x89PNG\r\n\x1a\n${text}`, text], ["image/png", undefined]],
  ["too little", ["ab"], ["text/plain; charset=utf-8", undefined]],
  ["one piece of no text", [`%PDF-${text}`], ["application/pdf", undefined]],
])(
  "a body that nobody has named a type for is coded if it begins as one that is worth it: %s",
  async (_, chunks, told) => {
    const handler = await provisionHandler("encode", { encodings: { gzip: {} } });
    const made = makeAnswering({ headers: ["Accept-Encoding", "gzip"] });
    await handler.handle(made.exchange, async (exchange) => {
      exchange.tellType();
      exchange.writeHead(200);
      exchange.flush();
      for (const chunk of chunks) {
        exchange.write(Buffer.from(chunk, "latin1"));
      }
      exchange.finish();
    });
    expect([made.header("content-type"), made.header("content-encoding")]).toEqual(told);
    const body = told[1] === undefined ? made.body() : gunzipSync(made.body());
    expect(body.toString("latin1")).toBe(chunks.join(""));
  },
);

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
