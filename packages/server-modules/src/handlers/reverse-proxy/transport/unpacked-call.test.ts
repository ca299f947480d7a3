import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createH2cServer } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { gzipSync } from "node:zlib";
import { type AskOptions, ask } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function proxyTo(server: Server, more: object = {}): Promise<void> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const handler = {
    handler: "reverse_proxy",
    upstreams: [{ dial: `127.0.0.1:${(server.address() as AddressInfo).port}` }],
    transport: { protocol: "http", ...more },
  };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).error).toBe("");
}

const large = "text of some length, again and again; ".repeat(100_000);
/** Compresses for clients that accept it, and records the accepted encodings. */
const packing: RequestListener = (request, response) => {
  const accepted = String(request.headers["accept-encoding"] ?? "");
  response.setHeader("X-Accepted", accepted);
  const body = Buffer.from(request.url === "/empty" ? "" : large);
  const packed = accepted.includes("gzip") ? gzipSync(body) : body;
  if (packed !== body) {
    response.setHeader("Content-Encoding", "gzip");
  }
  response.setHeader("Content-Length", packed.length);
  response.end(request.method === "HEAD" ? "" : packed);
};

test.each([
  ["HTTP/1.1", () => createServer(packing), {}],
  ["HTTP/2", () => createH2cServer(packing as never), { versions: ["h2c"] }],
])("over %s what a client did not ask to be packed is unpacked", async (_, makeServer, more) => {
  await proxyTo(makeServer() as Server, more);
  const answers = await Promise.all(Array.from({ length: 3 }, () => ask(running.site)));
  for (const { status, text, headers } of answers) {
    expect([status, text === large, headers["x-accepted"], headers["content-encoding"]]).toEqual([
      200,
      true,
      "gzip",
      undefined,
    ]);
    expect(headers["content-length"]).toBeUndefined();
  }
});

test.each(["Accept-Encoding", "Range"])("an empty %s asks for nothing, as none does", async (name) => {
  await proxyTo(createServer(packing));
  const { text, headers } = await ask(running.site, { headers: { [name]: "" } });
  expect([text === large, headers["content-encoding"]]).toEqual([true, undefined]);
  expect(headers["x-accepted"]).toMatch(/\bgzip$/);
});

test.each([
  ["clients that ask for an encoding", { headers: { "Accept-Encoding": "gzip" } }, "gzip"],
  ["clients that want none", { headers: { "Accept-Encoding": "identity" } }, "identity"],
  ["parts of files", { headers: { Range: "bytes=0-1" } }, ""],
  ["HEAD", { method: "HEAD" }, ""],
] as [string, AskOptions, string][])("nothing is asked on behalf of %s", async (_, asking, accepted) => {
  await proxyTo(createServer(packing));
  const { headers } = await ask(running.site, asking);
  expect([headers["x-accepted"], headers["content-encoding"]]).toEqual([
    accepted,
    accepted === "gzip" ? "gzip" : undefined,
  ]);
});

test("clients that say the same are taken for the same, whatever the method", async () => {
  await proxyTo(createServer(packing));
  const asked = ["GET", "HEAD", "GET"].map((method) => `${method} /empty HTTP/1.1\r\nHost: a\r\n\r\n`);
  const last = "GET /empty HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  const answers = await rawRequest(running.site, [...asked, last].join(""));
  expect([...answers.matchAll(/X-Accepted: ?(.*)\r/gi)].map(([, accepted]) => accepted)).toEqual([
    "gzip",
    "",
    "gzip",
    "gzip",
  ]);
});

test("with `compression` off upstreams are asked for nothing", async () => {
  await proxyTo(createServer(packing), { compression: false });
  expect((await ask(running.site)).headers["x-accepted"]).toBe("");
});

test.each([
  ["a body that is no gzip", Buffer.from("no gzip at all")],
  ["gzip that ends early", gzipSync(large).subarray(0, -20)],
])("%s does not look whole, and the server goes on", async (_, body) => {
  await proxyTo(
    createServer((request, response) => {
      if (request.url === "/next") {
        packing(request, response);
        return;
      }
      response.writeHead(200, { "Content-Type": "text/plain", "Content-Encoding": "gzip" });
      response.end(body);
    }),
  );
  await expect(ask(running.site)).rejects.toThrow();
  expect((await ask(`${running.site}/next`)).text).toBe(large);
});

test("an empty body is empty, packed or not", async () => {
  await proxyTo(
    createServer((_request, response) => {
      response.writeHead(200, { "Content-Encoding": "gzip" });
      response.end();
    }),
  );
  expect(await ask(running.site)).toMatchObject({ status: 200, text: "" });
  await proxyTo(createServer(packing));
  expect(await ask(`${running.site}/empty`)).toMatchObject({ status: 200, text: "" });
});
