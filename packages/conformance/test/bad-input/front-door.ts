import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AllProcesses } from "../../src/all-processes/all-processes.ts";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { head, rawHttp } from "./raw-http.ts";
import { staysUnharmed } from "./unharmed.ts";

const mebibyte = 1024 * 1024;

/** An upstream that answers every request, and stores the received bytes. */
class Recorder {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  text = "";

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("data", (data: Buffer) => {
        this.text += data.toString("latin1");
        if (this.text.includes("\r\n\r\n")) {
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
      });
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    for (const socket of this.#sockets) {
      socket.destroy();
    }
    this.#server.close();
  }
}

/** The web server's public port: a proxy in front of an upstream that shows the bytes it receives. */
export function frontDoor(backend: () => AllProcesses): void {
  const upstream = new Recorder();
  let door = "";
  const admin = (method: string, path: string, body?: unknown) =>
    ask(backend().addresses.admin + path, {
      method,
      headers: { "Content-Type": "application/json", Origin: backend().addresses.admin },
      body: body === undefined ? null : JSON.stringify(body),
    });

  beforeAll(async () => {
    const dial = await upstream.open();
    const shown = { "X-Path": ["{http.request.uri.path}"], "X-Query": ["{http.request.uri.query.q}"] };
    const logged = backend().adminServer.log.length;
    const answer = await admin("PUT", "/config/apps/http/servers/recorded", {
      listen: ["127.0.0.1:0"],
      routes: [
        {
          match: [{ path: ["/static/*"] }],
          handle: [
            {
              handler: "static_response",
              headers: shown,
              body: "hi",
              status_code: "{http.request.uri.query.s}",
            },
          ],
        },
        { handle: [{ handler: "reverse_proxy", upstreams: [{ dial }] }] },
      ],
    });
    expect(answer).toMatchObject({ status: 200 });
    door = await eventually(async () => {
      const [, address] =
        /serving HTTP on (127\.0\.0\.1:\d+)/.exec(backend().adminServer.log.slice(logged)) ?? [];
      if (address === undefined) {
        throw new Error("not yet serving");
      }
      return `http://${address}`;
    }, 5_000);
  });
  afterAll(async () => {
    await admin("DELETE", "/config/apps/http/servers/recorded");
    upstream.close();
  });
  beforeEach(() => {
    upstream.text = "";
  });

  const get = head("GET /good HTTP/1.1", "Host: x", "Connection: close");
  staysUnharmed({
    process: () => backend().adminServer,
    good: async () => expect((await rawHttp(door, get)).text).toMatch(/^HTTP\/1\.1 200 OK\r\n.*ok$/s),
    maxGrowthMiB: 192,
  });

  const post = (...fields: string[]) => head("POST /a HTTP/1.1", "Host: x", ...fields);
  test.each<[string, string, number]>([
    [
      "Content-Length and Transfer-Encoding",
      `${post("Content-Length: 6", "Transfer-Encoding: chunked")}0\r\n\r\nG`,
      400,
    ],
    [
      "Transfer-Encoding and Content-Length",
      `${post("Transfer-Encoding: chunked", "Content-Length: 6")}0\r\n\r\nG`,
      400,
    ],
    [
      "Transfer-Encoding twice",
      `${post("Transfer-Encoding: chunked", "Transfer-Encoding: identity")}0\r\n\r\n`,
      400,
    ],
    ["an unknown transfer coding", `${post("Transfer-Encoding: xchunked")}0\r\n\r\n`, 501],
    ["a coding before chunked", `${post("Transfer-Encoding: gzip, chunked")}0\r\n\r\n`, 501],
    ["a vertical tab before chunked", `${post("Transfer-Encoding:\x0bchunked")}0\r\n\r\n`, 400],
    ["a blank before the colon", `${post("Transfer-Encoding : chunked")}0\r\n\r\n`, 400],
    ["a folded Transfer-Encoding", `${post("Transfer-Encoding:\r\n chunked")}0\r\n\r\n`, 400],
    ["two lengths that differ", `${post("Content-Length: 1", "Content-Length: 2")}ab`, 400],
    ["a list of lengths", `${post("Content-Length: 2, 2")}ab`, 400],
    ["a length with a sign", `${post("Content-Length: +2")}ab`, 400],
    ["a negative length", `${post("Content-Length: -2")}ab`, 400],
    ["a length in hex", `${post("Content-Length: 0x2")}ab`, 400],
    ["a length past 64 bits", `${post("Content-Length: 99999999999999999999999")}ab`, 400],
    ["lines that end in LF alone", "GET /a HTTP/1.1\nHost: x\n\n", 400],
    ["a bare CR in a field", head("GET /a HTTP/1.1", "Host: x", "A: a\rB: b"), 400],
    ["a NUL in a field", head("GET /a HTTP/1.1", "Host: x", "A: a\0b"), 400],
    ["a folded field", head("GET /a HTTP/1.1", "Host: x", "A: a", " b"), 400],
    ["a field without a colon", head("GET /a HTTP/1.1", "Host: x", "foo"), 400],
    ["a field without a name", head("GET /a HTTP/1.1", "Host: x", ": foo"), 400],
    ["a field's name with a bracket", head("GET /a HTTP/1.1", "Host: x", "a(b): c"), 400],
    ["no Host", head("GET /a HTTP/1.1"), 400],
    ["two Hosts", head("GET /a HTTP/1.1", "Host: a", "Host: b"), 400],
    ["a Host with a path", head("GET /a HTTP/1.1", "Host: a/b"), 400],
    ["a user in the authority", head("GET http://u:p@x/a HTTP/1.1", "Host: x"), 400],
    ["a blank in the target", head("GET /a b HTTP/1.1", "Host: x"), 400],
    ["a bad escape", head("GET /%zz HTTP/1.1", "Host: x"), 400],
    ["an escaped NUL", head("GET /a%00b HTTP/1.1", "Host: x"), 400],
    ["a target without a slash", head("GET foo HTTP/1.1", "Host: x"), 400],
    ["CONNECT", head("CONNECT a:1 HTTP/1.1", "Host: a:1"), 400],
    ["an unknown version", head("GET /a HTTP/1.2", "Host: x"), 505],
    ["an HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505],
    ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400],
    ["an unknown expectation", `${post("Expect: foo", "Connection: close", "Content-Length: 2")}ab`, 417],
  ])("%s reaches no upstream", async (_, text, status) => {
    const answer = await rawHttp(door, text);
    expect([answer.status, upstream.text]).toEqual([status, ""]);
  });

  test.each<[string, string]>([
    ["a chunk with a negative size", `${post("Transfer-Encoding: chunked")}-3\r\nabc\r\n0\r\n\r\n`],
    ["a chunk past 64 bits", `${post("Transfer-Encoding: chunked")}fffffffffffffffff\r\nabc\r\n0\r\n\r\n`],
    ["chunks that end in LF alone", `${post("Transfer-Encoding: chunked")}3\nabc\n0\n\n`],
    [
      "a line end in a chunk's extension",
      `${post("Transfer-Encoding: chunked")}3;a="\n"\r\nabc\r\n0\r\n\r\n`,
    ],
  ])("%s is 400, and no upstream gets a whole request", async (_, text) => {
    expect((await rawHttp(door, text)).status).toBe(400);
    // The upstream may have received the head, but nothing of the body.
    expect(upstream.text.split("\r\n\r\n")[1] ?? "").toBe("");
  });

  test("headers over 20 KiB are 431; just under it they go through", async () => {
    const field = (length: number) =>
      head("GET /a HTTP/1.1", "Host: x", "Connection: close", `A: ${"a".repeat(length)}`);
    expect([431, 0]).toContain((await rawHttp(door, field(mebibyte))).status);
    expect((await rawHttp(door, field(20 * 1_024))).status).toBe(431);
    expect((await rawHttp(door, field(20 * 1_024 - 500))).status).toBe(200);
  });

  test("a body that looks like a request stays a body", async () => {
    const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const answer = await rawHttp(door, post("Connection: close", `Content-Length: ${inner.length}`) + inner);
    expect(answer.status).toBe(200);
    expect(upstream.text.toLowerCase()).toContain(`content-length: ${inner.length}\r\n`);
  });

  test("hop-by-hop fields end here, and what says who asked is said anew", async () => {
    await rawHttp(
      door,
      head(
        "GET /a HTTP/1.1",
        "Host: x",
        "Connection: close, X-Secret, Host, X-Forwarded-For",
        "X-Secret: 1",
        "Keep-Alive: 5",
        "TE: trailers, deflate",
        "Proxy-Authorization: secret",
        "Proxy-Connection: keep-alive",
        "Trailer: Content-Length",
        "X-Forwarded-For: 6.6.6.6",
        "X-Forwarded-Host: evil.example",
        "X-Forwarded-Proto: https",
        "Forwarded: for=6.6.6.6",
        "X_Forwarded_For: 6.6.6.6",
      ),
    );
    const [line, ...fields] = upstream.text.split("\r\n").filter((text) => text !== "");
    expect(line).toBe("GET /a HTTP/1.1");
    expect(fields.map((text) => text.toLowerCase()).sort()).toEqual([
      "accept-encoding: gzip",
      "host: x",
      "te: trailers",
      "via: 1.1 server",
      "x-forwarded-for: 127.0.0.1",
      "x-forwarded-host: x",
      "x-forwarded-proto: http",
    ]);
  });

  test.each([
    ["http://other.example/a?b", "GET /a?b HTTP/1.1", "other.example"],
    ["http://other.example?q", "GET /?q HTTP/1.1", "other.example"],
    ["https://other.example:99/a", "GET /a HTTP/1.1", "other.example:99"],
  ])("the absolute target %s goes on as a path, its authority as Host", async (target, line, authority) => {
    await rawHttp(door, head(`GET ${target} HTTP/1.1`, "Host: x", "Connection: close"));
    expect(upstream.text).toMatch(new RegExp(`^${line.replace("?", "\\?")}\r\nhost: ${authority}\r\n`, "i"));
  });

  test.each([
    ["the path", "/static/a%0d%0aX-Evil:%20yes?s=200"],
    ["the query", "/static/a?s=200&q=a%0d%0aX-Evil:%20yes"],
    ["the status", "/static/a?s=200%0d%0aX-Evil:%20yes"],
    ["a status that is none", "/static/a?s=99999"],
    ["an interim status", "/static/a?s=101"],
  ])("%s puts no field into a response", async (_, path) => {
    const { text } = await rawHttp(door, head(`GET ${path} HTTP/1.1`, "Host: x", "Connection: close"));
    expect(text).toMatch(/^HTTP\/1\.1 (?:200|500) /);
    expect(text).not.toMatch(/^X-Evil/im);
  });

  test("two requests in one packet are two, in order", async () => {
    const first = head("GET /1 HTTP/1.1", "Host: x");
    const second = head("GET /2 HTTP/1.1", "Host: x", "Connection: close");
    const { text } = await rawHttp(door, first + second);
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect(upstream.text).toMatch(/GET \/1 HTTP\/1\.1\r\n.*GET \/2 HTTP\/1\.1\r\n/s);
  });
}
