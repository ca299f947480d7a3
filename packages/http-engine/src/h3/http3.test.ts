import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { askTls } from "server-core/testing/ask-tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { Http3TestClient } from "../../../admin-server/src/testing/http3-client.ts";
import { RunningServer, respond } from "../../../admin-server/src/testing/running-server.ts";

const site = (host: string, body: string) => ({ match: [{ host: [host] }], ...(respond(body) as object) });
const config = (server: object, listen = "127.0.0.1:0") => ({
  apps: {
    http: {
      servers: {
        s: { listen: [listen], protocols: ["h1", "h2", "h3"], tls_connection_policies: [{}], ...server },
      },
    },
  },
});
/** A route for all, of a host that gets a certificate. */
const all = (...handle: object[]) => ({ match: [{ host: ["a.localhost"] }, {}], handle });
const at = (path: string, ...handle: object[]) => ({ match: [{ path: [path] }], handle });
const body = (value: string, more: object = {}) => ({ handler: "static_response", body: value, ...more });
const proxy = (port: number, more: object = {}) => ({
  handler: "reverse_proxy",
  upstreams: [{ dial: `127.0.0.1:${port}` }],
  ...more,
});

/** On a machine that is busy. */
const patient = { timeout: 60_000 };

const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanUp.splice(0).reverse()) {
    await clean();
  }
});

async function client(
  server: RunningServer,
  options?: { serverName?: string; address?: string; ticket?: Http3TestClient["ticket"] },
): Promise<Http3TestClient> {
  const made = await Http3TestClient.connect(server.site, options);
  cleanUp.push(() => made.close());
  return made;
}

async function upstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  const server = createServer(answer);
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

async function start(server: object, workers = 0, listen?: string): Promise<RunningServer> {
  const running = await RunningServer.start(config(server, listen), {}, workers);
  cleanUp.push(() => running.close());
  return running;
}

describe.each([0, 2])("HTTP/3 with %d worker threads", (workers) => {
  let running: RunningServer;
  const facts =
    "{http.request.proto} {http.request.proto_name} {http.request.scheme} {http.request.tls.version} " +
    "{http.request.tls.cipher_suite} {http.request.tls.proto} {http.request.tls.resumed} {http.request.tls.server_name} " +
    "{http.request.local} {http.request.remote.host}";

  beforeAll(async () => {
    running = await RunningServer.start(
      config({
        routes: [
          at("/facts", body(facts)),
          {
            match: [{ protocol: "http/3", tls: {}, path: ["/matched"] }],
            ...(respond("by matchers") as object),
          },
          at("/bare", { handler: "headers", response: { delete: ["Alt-Svc"] } }, body("bare")),
          site("a.localhost", "a"),
          site("b.localhost", "b"),
        ],
      }),
      {},
      workers,
    );
  });
  afterAll(() => running.close());

  test("tells handlers all about the connection", async () => {
    const { port } = new URL(running.site);
    const answer = await (await client(running)).ask({ path: "/facts" });
    expect([answer.status, answer.text]).toEqual([
      200,
      `HTTP/3.0 HTTP/3 https tls1.3 TLS_AES_128_GCM_SHA256 h3 false a.localhost 127.0.0.1:${port} 127.0.0.1`,
    ]);
    expect(answer.headers).toMatchObject({ server: "server", "content-length": String(answer.text.length) });
    expect(answer.headers).not.toHaveProperty("alt-svc");
  });

  test("matches by protocol and TLS", async () => {
    expect((await (await client(running)).ask({ path: "/matched" })).text).toBe("by matchers");
  });

  test("shows each name its certificate", async () => {
    for (const name of ["a", "b"]) {
      const made = await client(running, { serverName: `${name}.localhost` });
      expect(made.certificate?.subjectAltName).toBe(`DNS:${name}.localhost`);
      expect((await made.ask({ authority: `${name}.localhost` })).text).toBe(name);
    }
    await expect(client(running, { serverName: "c.localhost" })).rejects.toThrow();
  });

  test("goes on with sessions of earlier connections, in whichever thread", async () => {
    const first = await client(running);
    await first.ask({ path: "/facts" });
    await expect.poll(() => first.ticket, patient).toBeDefined();
    for (let round = 0; round < 3; round++) {
      const again = await client(running, { ticket: first.ticket });
      expect((await again.ask({ path: "/facts" })).text).toContain(" h3 true a.localhost ");
      expect(again.certificate).toBeUndefined();
    }
  });

  test("is advertised on answers of older versions, unless a handler takes that away", async () => {
    const { port } = new URL(running.site);
    const service = `h3=":${port}"; ma=2592000`;
    const options = { servername: "a.localhost", rejectUnauthorized: false };
    expect((await askTls(running.site, options)).headers["alt-svc"]).toBe(service);
    const session = connectHttp2(`https://127.0.0.1:${port}`, options);
    cleanUp.push(() => session.close());
    const heads = ["/", "/bare"].map(async (path) => {
      const stream = session.request({ ":path": path, ":authority": "a.localhost" });
      const [head] = await once(stream, "response");
      stream.resume();
      return head["alt-svc"];
    });
    expect(await Promise.all(heads)).toEqual([service, undefined]);
  });

  test("keeps connections over reloads and new ports of clients", async () => {
    const made = await client(running);
    expect((await made.ask({ path: "/bare" })).text).toBe("bare");
    // Several, so that datagrams come to another thread where there are two.
    for (let round = 0; round < 4; round++) {
      await made.rebind();
      expect((await made.ask({ path: "/bare" })).text).toBe("bare");
    }
    const path = "/config/apps/http/servers/s/routes/0/handle/0/body";
    expect((await running.admin("PATCH", path, JSON.stringify("changed"))).error).toBe("");
    expect((await made.ask({ path: "/facts" })).text).toBe("changed");
    expect((await running.admin("PATCH", path, JSON.stringify(facts))).error).toBe("");
  });
});

test("brings bodies both ways through a proxy, with trailers and an interim response", async () => {
  const port = await upstream((request, response) => {
    response.writeEarlyHints({ link: "</style.css>" });
    response.writeHead(200, { Trailer: "X-Length" });
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.pipe(response, { end: false });
    request.on("end", () => {
      response.addTrailers({ "X-Length": String(bytes) });
      response.end();
    });
  });
  const running = await start({ routes: [all(proxy(port))] });
  const sent = Buffer.alloc(1_500_000, "0123456789");
  const answer = await (await client(running)).ask({ method: "POST", body: sent });
  expect([answer.status, answer.interim, answer.trailers]).toEqual([200, [103], { "x-length": "1500000" }]);
  expect(answer.body.equals(sent)).toBe(true);
});

test("a request whose end comes later has no body, and one that gives a length need not end at once", async () => {
  const port = await upstream((request, response) => {
    const { "transfer-encoding": coding = "", "content-length": length = "", via = "" } = request.headers;
    text(request).then((content) => response.end([request.method, coding, length, content, via].join()));
  });
  const running = await start({ routes: [all(proxy(port))] });
  const made = await client(running);
  const late = made.request();
  made.flush();
  late.stream.end(); // in a datagram of its own
  made.flush();
  expect((await late.answer).text).toBe("GET,,,,3.0 server");
  const long = made.request({ method: "PUT", headers: [["content-length", "3"]] });
  made.flush();
  long.write(Buffer.from("abc"));
  long.stream.end();
  expect((await long.answer).text).toBe("PUT,,3,abc,3.0 server");
});

describe("what clients may send", () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = await RunningServer.start(
      config({
        max_header_bytes: 1_000,
        routes: [{ handle: [body("{http.request.uri}")] }, site("a.localhost", "")],
      }),
    );
  });
  afterAll(() => running.close());

  const ask = async (...fields: Parameters<Http3TestClient["ask"]>) => (await client(running)).ask(...fields);

  test.each<[string, Parameters<Http3TestClient["ask"]>[0]]>([
    ["upper case in a name", { headers: [["X-Upper", "1"]] }],
    ["a field of connections", { headers: [["connection", "close"]] }],
    ["a newline in a value", { headers: [["x", "a\r\nb"]] }],
    ["no path", { pseudo: [[":method", "GET"]] }],
    [
      "a longer body than it declares",
      { method: "POST", headers: [["content-length", "1"]], body: Buffer.from("ab") },
    ],
    [
      "a shorter body than it declares",
      { method: "POST", headers: [["content-length", "3"]], body: Buffer.from("ab") },
    ],
    [
      "no host",
      {
        pseudo: [
          [":method", "GET"],
          [":scheme", "https"],
          [":path", "/"],
        ],
      },
    ],
    ["two hosts", { headers: [["host", "other"]] }],
  ])("%s is malformed", async (_, fields) => {
    await expect(ask(fields)).rejects.toThrow("0x10e");
  });

  test.each<[string, Parameters<Http3TestClient["ask"]>[0], number]>([
    ["fields over the limit", { headers: [["x-large", "a".repeat(6_000)]] }, 431],
    ["fields far over the limit", { headers: [["x-large", "a".repeat(100_000)]] }, 431],
    ["a host that is none", { authority: "a b" }, 400],
    [
      "CONNECT",
      {
        pseudo: [
          [":method", "CONNECT"],
          [":authority", "a:80"],
        ],
      },
      400,
    ],
    ["fields below the limit", { headers: [["x-large", "a".repeat(2_000)]] }, 200],
  ])("%s: answered", async (_, fields, status) => {
    expect((await ask(fields)).status).toBe(status);
  });
});

test("leads a WebSocket through a proxy, both ways to its end", async () => {
  const server = createServer();
  cleanUp.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const closed = Promise.withResolvers<void>();
  server.on("upgrade", (request, socket) => {
    const key = request.headers["sec-websocket-key"];
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Key: ${String(key).length}\r\n\r\n`,
    );
    socket.on("data", (bytes: Buffer) => socket.write(bytes));
    socket.once("end", () => socket.end());
    socket.once("close", () => closed.resolve());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const running = await start({ routes: [all(proxy((server.address() as AddressInfo).port))] });
  const made = await client(running);
  const request = made.request({
    pseudo: [
      [":method", "CONNECT"],
      [":protocol", "websocket"],
      [":scheme", "https"],
      [":authority", "a.localhost"],
      [":path", "/chat"],
    ],
  });
  made.flush();
  await request.head;
  request.write(Buffer.from("frames"));
  made.flush();
  await expect.poll(() => Buffer.concat(request.chunks).toString(), patient).toBe("frames");
  request.stream.end();
  made.flush();
  const answer = await request.answer;
  expect([answer.status, answer.headers["x-key"]]).toEqual([200, "24"]);
  await closed.promise;
});

test("a client that gives up ends the request upstream", async () => {
  const gone = Promise.withResolvers<void>();
  const port = await upstream((_, response) => {
    response.write("begun");
    response.once("close", () => gone.resolve());
  });
  const running = await start({ routes: [all(proxy(port))] });
  const made = await client(running);
  const request = made.request();
  request.stream.end();
  made.flush();
  await request.head;
  request.stream.stopReading(0x10c);
  made.flush();
  await gone.promise;
});

test("a client that reads nothing holds the upstream back, and is cut in the end", async () => {
  let written = 0;
  const port = await upstream((_, response) => {
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (written < 64 * 1_048_576 && response.write(chunk)) {
        written += chunk.length;
      }
    };
    response.on("drain", more);
    more();
  });
  const running = await start({ write_idle_timeout: "300ms", routes: [all(proxy(port))] });
  const made = await client(running);
  const request = made.request();
  request.reads = false;
  request.stream.end();
  made.flush();
  // The datagram that ends the connection may be lost. Within three probe timeouts, further packets bring it again.
  const sending = setInterval(() => made.ping(), 20);
  const { code } = await made.closed.promise.finally(() => clearInterval(sending));
  expect(code).toBe(0x100);
  expect(written).toBeLessThan(16 * 1_048_576);
});

test("leaves with GOAWAY where a config has no HTTP/3 any more, and comes back while old requests go on", async () => {
  const release = Promise.withResolvers<void>();
  const port = await upstream((_, response) => {
    response.write("first,");
    release.promise.then(() => response.end("last"));
  });
  const running = await start({ routes: [at("/slow", proxy(port)), site("a.localhost", "new")] });
  const made = await client(running);
  const slow = made.request({ path: "/slow" });
  slow.stream.end();
  made.flush();
  await slow.head;
  const protocols = "/config/apps/http/servers/s/protocols";
  expect((await running.admin("PATCH", protocols, JSON.stringify(["h1", "h2"]))).error).toBe("");
  await expect.poll(() => made.isLeaving, patient).toBe(true);
  await expect(client(running)).rejects.toThrow();
  const options = { servername: "a.localhost", rejectUnauthorized: false };
  expect((await askTls(running.site, options)).headers).not.toHaveProperty("alt-svc");
  expect((await running.admin("PATCH", protocols, JSON.stringify(["h1", "h3"]))).error).toBe("");
  expect((await (await client(running)).ask()).text).toBe("new");
  release.resolve();
  expect((await slow.answer).text).toBe("first,last");
});

test("listens on all addresses of both families", async () => {
  const running = await start({ routes: [site("a.localhost", "{http.request.remote.host}")] }, 0, ":0");
  for (const address of ["127.0.0.1", "::1"]) {
    expect((await (await client(running, { address })).ask()).text).toBe(address);
  }
});

test("certificates come and go while connections are open", async () => {
  const routes = [site("a.localhost", "a")];
  const running = await start({ routes });
  const open = await client(running);
  await expect(client(running, { serverName: "b.localhost" })).rejects.toThrow();
  const path = "/config/apps/http/servers/s/routes";
  expect((await running.admin("POST", path, JSON.stringify(site("b.localhost", "b")))).error).toBe("");
  const made = await client(running, { serverName: "b.localhost" });
  expect(made.certificate?.subjectAltName).toBe("DNS:b.localhost");
  expect((await open.ask()).text).toBe("a");
});

test("says that the port is taken, and leaves nothing open", async () => {
  const running = await start({ protocols: ["h1", "h2"], routes: [site("a.localhost", "a")] });
  const { port } = new URL(running.site);
  const taken = createSocket("udp4");
  cleanUp.push(() => taken.close());
  taken.bind(Number(port), "127.0.0.1");
  await once(taken, "listening");
  const protocols = "/config/apps/http/servers/s/protocols";
  const refused = await running.admin("PATCH", protocols, JSON.stringify(["h1", "h3"]));
  expect([refused.status, refused.error]).toEqual([
    400,
    expect.stringContaining(`listen udp 127.0.0.1:${port}: bind: address already in use`),
  ]);
  const options = { servername: "a.localhost", rejectUnauthorized: false };
  expect((await askTls(running.site, options)).text).toBe("a");
});

test.each<[string, object]>([
  ["curves", { curves: ["x25519"] }],
  ["cipher_suites", { cipher_suites: ["TLS_AES_256_GCM_SHA384"] }],
])("refuses %s, which only TCP's handshakes heed", async (field, policy) => {
  const running = await start({});
  const validate = async (protocols: string[]) =>
    (
      await running.admin(
        "POST",
        "/validate",
        JSON.stringify(config({ protocols, tls_connection_policies: [policy] })),
      )
    ).error;
  expect(await validate(["h1", "h2"])).toBe("");
  expect(await validate(["h1", "h3"])).toContain(
    `connection policy 0: ${field} is not supported with HTTP/3: leave h3 out of protocols`,
  );
});
