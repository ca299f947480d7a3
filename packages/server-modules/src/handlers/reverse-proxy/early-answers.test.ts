import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { selfSigned } from "certificates/testing/self-signed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";
import { encodeRecords, recordType } from "./transport/fastcgi/records.ts";

let running: RunningServer;
let folder: string;
const open: Server[] = [];

/** Answers, and closes without a look at the body: the client's system gets a reset. */
function answerTo(answer: Buffer): (socket: Socket) => void {
  return (socket) => {
    socket.on("error", () => {});
    socket.once("readable", () => {
      socket.read(1000);
      socket.write(answer, () => socket.destroy());
    });
  };
}

/** @returns address */
async function listen(server: Server, path?: string): Promise<string> {
  open.push(server);
  if (path !== undefined) {
    await once(server.listen(path), "listening");
    return `unix/${path}`;
  }
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const hasty = (answer: Buffer, path?: string) => listen(createServer(answerTo(answer)), path);

/**
 * Options of a TLS server. Nagle's algorithm would delay an answer behind session tickets, and the reset would then
 * drop it.
 */
const secure = async () => ({ ...(await selfSigned("127.0.0.1")), noDelay: true });

async function hastyTls(answer: Buffer): Promise<string> {
  return listen(createTlsServer(await secure(), answerTo(answer)));
}

/** Answers over HTTP/2. @param closes true: the connection ends with the answer; false: only the stream ends */
async function hastyH2(closes: boolean): Promise<string> {
  const server = createSecureServer(await secure());
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 413, "content-length": 4 });
    stream.end("big\n", () => closes && stream.session?.socket.destroy());
  });
  return listen(server);
}

beforeAll(async () => {
  running = await RunningServer.start();
  folder = await mkdtemp(join(tmpdir(), "early-answers-"));
});
afterAll(async () => {
  for (const server of open) {
    server.close();
  }
  await running.close();
  await rm(folder, { recursive: true });
});

/** Sends a body in two parts. @returns status and body */
function post(length: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      running.site,
      { method: "POST", headers: { "Content-Length": length } },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => resolve(`${answer.statusCode} ${Buffer.concat(parts)}`));
        answer.on("error", reject);
      },
    );
    sent.on("error", reject);
    const half = Buffer.alloc(length / 2);
    sent.write(half);
    setImmediate(() => sent.end(half));
  });
}

const fields = "Content-Length: 4\r\n\r\nbig\n";
const overHttp = Buffer.from(`HTTP/1.1 413 Payload Too Large\r\n${fields}`);
const overFastcgi = Buffer.concat([
  encodeRecords(recordType.stdout, Buffer.from(`Status: 413 Payload Too Large\r\n${fields}`)),
  encodeRecords(recordType.endRequest, Buffer.alloc(8)),
]);
const fastcgi = { protocol: "fastcgi", root: "/srv" };

test.each([
  ["HTTP", "TCP", overHttp, { protocol: "http" }],
  ["HTTP", "a unix socket", overHttp, { protocol: "http" }],
  ["FastCGI", "TCP", overFastcgi, fastcgi],
  ["FastCGI", "a unix socket", overFastcgi, fastcgi],
])(
  "an answer of %s over %s that comes before the body was sent arrives, though the upstream closes",
  async (_protocol, way, bytes, transport) => {
    const dial = await hasty(bytes, way === "TCP" ? undefined : join(folder, transport.protocol));
    const proxy = { handler: "reverse_proxy", upstreams: [{ dial }], transport };
    const loaded = await running.admin("POST", "/load", siteConfig({ handle: [proxy] }));
    expect(loaded.error).toBe("");
    const answers: string[] = [];
    for (let round = 0; round < 20; round++) {
      answers.push(await post(round % 2 === 0 ? 300_000 : 1_000_000));
    }
    expect(answers).toEqual(answers.map(() => "413 big\n"));
  },
);

const overTls = { protocol: "http", tls: { insecure_skip_verify: true } };

test.each([
  ["HTTP/1.1", () => hastyTls(overHttp)],
  ["HTTP/2, with its stream", () => hastyH2(false)],
  ["HTTP/2, with its connection", () => hastyH2(true)],
])("an early answer over TLS arrives: %s", async (_protocol, start) => {
  const proxy = { handler: "reverse_proxy", upstreams: [{ dial: await start() }], transport: overTls };
  const loaded = await running.admin("POST", "/load", siteConfig({ handle: [proxy] }));
  expect(loaded.error).toBe("");
  const answers: string[] = [];
  for (let round = 0; round < 20; round++) {
    answers.push(await post(round % 2 === 0 ? 300_000 : 1_000_000));
  }
  expect(answers).toEqual(answers.map(() => "413 big\n"));
});

/** Sends the head of a request without its body. @returns the answer */
async function answerToHead(bodyLength: number): Promise<string> {
  const { hostname, port } = new URL(running.site);
  const socket = connect(Number(port), hostname);
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bodyLength}\r\n\r\n`);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return bytes.toString();
}

test("an answer says that the connection closes when more of the body is to come than is dropped", async () => {
  const refusal = { handler: "static_response", status_code: 413, body: "big" };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [refusal] }))).error).toBe("");
  expect(await answerToHead(256 * 1024 + 1)).toMatch(/^HTTP\/1.1 413 [\s\S]*\r\nConnection: close\r\n/);
  expect(await answerToHead(256 * 1024)).not.toMatch(/\r\nConnection: /);
});
