import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, get, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, createServer } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { ask } from "server-core/testing/ask";
import { EventQueue } from "server-core/testing/event-queue";
import { rawRequest } from "server-core/testing/raw-request";
import { deadAddress, UpstreamServer } from "server-core/testing/upstream-server";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { RunningServer, siteConfig } from "../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
const upstreams: UpstreamServer[] = [];
beforeAll(async () => {
  running = await RunningServer.start();
});
afterEach(async () => {
  await Promise.all(upstreams.splice(0).map((upstream) => upstream.kill()));
});
afterAll(() => running.close());

async function upstream(...args: Parameters<typeof UpstreamServer.start>): Promise<UpstreamServer> {
  const server = await UpstreamServer.start(...args);
  upstreams.push(server);
  return server;
}

async function proxyTo(addresses: readonly string[], more: Record<string, unknown> = {}): Promise<void> {
  const dials = addresses.map((dial) => ({ dial }));
  const config = siteConfig({ handle: [{ handler: "reverse_proxy", upstreams: dials, ...more }] });
  expect(await running.admin("POST", "/load", config)).toMatchObject({ status: 200 });
}

const roundRobin = { load_balancing: { selection_policy: { policy: "round_robin" } } };
const upstreamList = async () =>
  JSON.parse((await running.admin("GET", "/reverse_proxy/upstreams")).text) as unknown[];
/** All values of a request header that the upstream received. */
const received = (request: IncomingMessage, name: string) =>
  request.rawHeaders.filter(
    (_, index) => index % 2 === 1 && request.rawHeaders[index - 1]?.toLowerCase() === name,
  );

describe("headers", () => {
  test("the upstream gets the target and Host as sent, who forwards, and nothing of the connection", async () => {
    const requests = new EventQueue<IncomingMessage>();
    const server = await upstream((request, response) => {
      requests.push(request);
      response.end();
    });
    await proxyTo([server.address]);
    await ask(running.site, {
      target: "/a%2Fb//c?q=%20",
      headers: {
        Host: "site.example:81",
        Connection: "close, X-Mine",
        "X-Mine": "1",
        "Keep-Alive": "1",
        "Proxy-Authorization": "secret",
        TE: "gzip, trailers",
        "X-Forwarded-For": "6.6.6.6",
        "X-Forwarded-Host": "evil",
        X_Underscore: "1",
        "X.Dot": "1",
        "X-Twice": ["1", "2"],
        Via: "1.0 front",
      },
    });
    const request = await requests.next();
    expect(request.url).toBe("/a%2Fb//c?q=%20");
    const names = [
      "host",
      "x-forwarded-for",
      "x-forwarded-proto",
      "x-forwarded-host",
      "via",
      "te",
      "x-twice",
    ];
    expect(Object.fromEntries(names.map((name) => [name, received(request, name)]))).toEqual({
      host: ["site.example:81"],
      "x-forwarded-for": ["127.0.0.1"],
      "x-forwarded-proto": ["http"],
      "x-forwarded-host": ["site.example:81"],
      via: ["1.0 front, 1.1 server"],
      te: ["trailers"],
      "x-twice": ["1", "2"],
    });
    for (const name of ["x-mine", "keep-alive", "proxy-authorization", "x_underscore", "x.dot"]) {
      expect(received(request, name)).toEqual([]);
    }
  });

  test("the client gets the upstream's status and fields, and nothing of its connection", async () => {
    const server = await upstream((_, response) => {
      const fields = [
        "Server",
        "up",
        "Set-Cookie",
        "a=1",
        "Set-Cookie",
        "b=2",
        "Connection",
        "X-Mine",
        "X-Mine",
        "1",
      ];
      response.writeHead(418, "Whatever", [
        ...fields,
        "Via",
        "1.1 back",
        "Proxy-Authenticate",
        "x",
        "Alt-Svc",
        'h3=":1"',
      ]);
      response.end("body");
    });
    await proxyTo([server.address]);
    const answer = await ask(running.site);
    expect(answer).toMatchObject({ status: 418, text: "body" });
    expect(answer.headers).toMatchObject({
      server: "up",
      "set-cookie": ["a=1", "b=2"],
      via: "1.1 back, 1.1 server",
    });
    expect(answer.headers).not.toHaveProperty("x-mine");
    expect(answer.headers).not.toHaveProperty("proxy-authenticate");
    expect(answer.headers).not.toHaveProperty("alt-svc");
  });

  test("are changed as configured", async () => {
    const server = await upstream((request, response) => {
      response
        .writeHead(200, { "X-Got": `${request.headers.host} ${request.headers["x-new"]}`, "X-Gone": "1" })
        .end();
    });
    const headers = {
      request: { set: { Host: ["inner"], "X-New": ["{http.request.host}"] } },
      response: { delete: ["X-Gone"], set: { "X-Set": ["1"] } },
    };
    await proxyTo([server.address], { headers });
    const answer = await ask(running.site, { headers: { Host: "outer" } });
    expect(answer.headers).toMatchObject({ "x-got": "inner outer", "x-set": "1" });
    expect(answer.headers).not.toHaveProperty("x-gone");
  });

  test("a decoded newline is a blank upstream, never a field of its own", async () => {
    const server = await upstream((request, response) => {
      response.end(`${request.headers["x-q"]}, ${request.headers.injected}`);
    });
    await proxyTo([server.address], {
      headers: { request: { set: { "X-Q": ["{http.request.uri.query.q}"] } } },
    });
    expect((await ask(`${running.site}/?q=a%0d%0aInjected:%201`)).text).toBe("a  Injected: 1, undefined");
  });

  test("what cannot be sent on is 400 and reaches no upstream", async () => {
    let requests = 0;
    const server = await upstream((_, response) => {
      requests++;
      response.end();
    });
    await proxyTo([server.address], { rewrite: { method: "{http.request.header.X-Method}" } });
    expect((await ask(running.site, { headers: { "X-Method": "PURGE IT" } })).status).toBe(400);
    expect(requests).toBe(0);
    expect((await ask(running.site, { headers: { "X-Method": "PURGE" } })).status).toBe(200);
    expect(requests).toBe(1);
  });

  test("a header that the upstream may not send is 500, not passed on", async () => {
    const raw = createServer((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: a\x01b\r\n\r\n"));
    }).listen(0, "127.0.0.1");
    await once(raw, "listening");
    await proxyTo([`127.0.0.1:${(raw.address() as { port: number }).port}`]);
    expect((await ask(running.site)).status).toBeGreaterThanOrEqual(500);
    raw.close();
  });
});

describe("bodies", () => {
  test("of 20 MB go through whole, both ways", async () => {
    const server = await upstream((request, response) => {
      response.writeHead(200, { "Content-Length": request.headers["content-length"] });
      request.pipe(response);
    });
    await proxyTo([server.address]);
    const body = randomBytes(20 * 1024 * 1024);
    const request = httpRequest(running.site, { method: "PUT", headers: { "Content-Length": body.length } });
    request.end(body);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
    expect(hash(await buffer(response))).toBe(hash(body));
  });

  test("chunked stay chunked, and flow as they come", async () => {
    const chunks = new EventQueue<string>();
    const server = await upstream((request, response) => {
      request.on("data", (chunk) => {
        chunks.push(String(chunk));
        response.write(`got ${chunk}`);
      });
      request.on("end", () => response.end());
    });
    await proxyTo([server.address]);
    const request = httpRequest(running.site, {
      method: "POST",
      headers: { "Transfer-Encoding": "chunked" },
    });
    const answered = once(request, "response");
    request.write("one");
    expect(await chunks.next()).toBe("one");
    const [response] = (await answered) as [IncomingMessage];
    expect(String((await once(response, "data"))[0])).toBe("got one");
    const ended = once(response, "end");
    request.end("two");
    expect(String((await once(response, "data"))[0])).toBe("got two");
    await ended;
    expect(response.headers["transfer-encoding"]).toBe("chunked");
  });

  test("server-sent events arrive one by one", async () => {
    const streams = new EventQueue<(event: string) => void>();
    const server = await upstream((_, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.flushHeaders();
      streams.push((event) => response.write(`data: ${event}\n\n`));
    });
    await proxyTo([server.address], { flush_interval: -1 });
    const [response] = (await once(get(running.site), "response")) as [IncomingMessage];
    const send = await streams.next();
    for (const event of ["a", "b", "c"]) {
      const data = once(response, "data");
      send(event);
      expect(String((await data)[0])).toBe(`data: ${event}\n\n`);
    }
    response.destroy();
  });

  test("trailers come through", async () => {
    const server = await upstream((_, response) => {
      response.writeHead(200, { Trailer: "X-Sum" });
      response.write("body");
      response.addTrailers({ "X-Sum": "42" });
      response.end();
    });
    await proxyTo([server.address]);
    const [response] = (await once(get(running.site), "response")) as [IncomingMessage];
    await buffer(response);
    expect(response.trailers).toEqual({ "x-sum": "42" });
  });

  test("an answer before the upload ended reaches the client", async () => {
    const server = await upstream((_, response) => {
      response.writeHead(413, { Connection: "close" }).end("too much");
    });
    await proxyTo([server.address]);
    const { port } = new URL(running.site);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nbegin");
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  test("the upstream hears when the client leaves", async () => {
    const gone = new EventQueue<string>();
    const arrived = new EventQueue<void>();
    const server = await upstream((request, response) => {
      response.on("close", () => gone.push(request.url ?? ""));
      arrived.push();
      if (request.url === "/mid") {
        response.write("begin");
      }
    });
    await proxyTo([server.address]);
    for (const path of ["/before", "/mid"]) {
      const request: ClientRequest = get(running.site + path);
      request.on("error", () => {});
      await arrived.next();
      request.destroy();
      expect(await gone.next()).toBe(path);
    }
    expect(await upstreamList()).toEqual([{ address: server.address, num_requests: 0, fails: 0 }]);
  });

  test("a client that breaks off its upload does not count against the upstream", async () => {
    const broken = new EventQueue<void>();
    const server = await upstream((request) => {
      request.on("error", () => broken.push());
      request.resume();
    });
    await proxyTo([server.address], { health_checks: { passive: { fail_duration: "1m" } } });
    const request = httpRequest(running.site, { method: "POST", headers: { "Content-Length": 100 } });
    request.on("error", () => {});
    const arrived = once(server.server, "request");
    request.write("begin");
    await arrived;
    request.destroy();
    await broken.next();
    expect(await upstreamList()).toEqual([{ address: server.address, num_requests: 0, fails: 0 }]);
  });
});

describe("balancing", () => {
  test("round robin takes turns", async () => {
    const servers = await Promise.all(
      [1, 2, 3].map((id) => upstream((_, response) => response.end(String(id)))),
    );
    await proxyTo(
      servers.map(({ address }) => address),
      roundRobin,
    );
    const answers = [];
    for (let each = 0; each < 6; each++) {
      answers.push((await ask(running.site)).text);
    }
    expect(answers.join("")).toBe("231231");
  });

  test("random reaches all", async () => {
    const servers = await Promise.all(
      [1, 2].map((id) => upstream((_, response) => response.end(String(id)))),
    );
    await proxyTo(
      servers.map(({ address }) => address),
      { load_balancing: { selection_policy: { policy: "random" } } },
    );
    const seen = new Set<string>();
    while (seen.size < 2) {
      seen.add((await ask(running.site)).text);
    }
    expect([...seen].sort()).toEqual(["1", "2"]);
  });

  test("an upstream that cannot be dialed is passed over, with the body", async () => {
    const server = await upstream((request, response) => request.pipe(response));
    await proxyTo([await deadAddress(), await deadAddress(), server.address], roundRobin);
    for (let each = 0; each < 3; each++) {
      const answer = await ask(running.site, { method: "POST", body: "payload" });
      expect(answer).toMatchObject({ status: 200, text: "payload" });
    }
  });

  test("none can be dialed: 502; none configured: 503", async () => {
    await proxyTo([await deadAddress(), await deadAddress()]);
    expect(await ask(running.site)).toMatchObject({ status: 502, text: "", headers: { server: "server" } });
    await proxyTo([]);
    expect(await ask(running.site)).toMatchObject({ status: 503, text: "" });
  });

  test("retries bridge an upstream that comes back", async () => {
    const dead = await deadAddress();
    await proxyTo([dead], { load_balancing: { try_duration: "30s", try_interval: "20ms" } });
    const answer = ask(running.site, { method: "POST", body: "kept" });
    await upstream((request, response) => request.pipe(response), Number(dead.split(":")[1]));
    expect(await answer).toMatchObject({ status: 200, text: "kept" });
  });

  test("a failed upstream is left out while its failure is remembered", async () => {
    const server = await upstream((_, response) => response.end("alive"));
    const dead = await deadAddress();
    await proxyTo([dead, server.address], {
      ...roundRobin,
      health_checks: { passive: { fail_duration: "1m", max_fails: 1 } },
    });
    expect((await ask(running.site)).text).toBe("alive");
    expect((await ask(running.site)).text).toBe("alive");
    expect(await upstreamList()).toEqual([
      { address: dead, num_requests: 0, fails: 1 },
      { address: server.address, num_requests: 0, fails: 0 },
    ]);
  });

  test("a request that failed and has no upstream left tells its failure", async () => {
    const silent = await upstream((request) => request.socket.end());
    const passive = { health_checks: { passive: { fail_duration: "1m" } } };
    await proxyTo([silent.address], { ...passive, load_balancing: { retries: 1, try_interval: "1ms" } });
    expect((await ask(running.site)).status).toBe(502);
    expect((await ask(running.site)).status).toBe(503);
  });

  test("an upstream that is left out is no other one to try: the request ends, and the next is served", async () => {
    const silent = await upstream((request) => request.socket.end());
    await proxyTo([silent.address, await deadAddress()], {
      health_checks: { passive: { fail_duration: "1m" } },
      load_balancing: { selection_policy: { policy: "first" } },
    });
    expect((await ask(running.site)).status).toBe(502);
    // Only the upstream that does not listen is left now.
    expect((await ask(running.site)).status).toBe(502);
    expect((await ask(running.site)).status).toBe(503);
  });

  test("an upstream that answers and breaks off its body has not failed", async () => {
    const cut = await upstream((_, response) => {
      response.writeHead(200, { "Content-Length": 10 });
      response.write("only", () => response.socket?.destroy());
    });
    await proxyTo([cut.address], { health_checks: { passive: { fail_duration: "1m" } } });
    await ask(running.site).catch(() => {});
    await ask(running.site).catch(() => {});
    expect(await upstreamList()).toMatchObject([{ fails: 0 }]);
  });

  test("failures count for every proxy to the address, and end with the config that counted them", async () => {
    const dead = await deadAddress();
    const passive = { health_checks: { passive: { fail_duration: "1m" } } };
    await proxyTo([dead], passive);
    expect((await ask(running.site)).status).toBe(502);
    expect((await ask(running.site)).status).toBe(503);
    await proxyTo([dead], { ...passive, flush_interval: -1 });
    await vi.waitFor(async () => expect(await upstreamList()).toMatchObject([{ fails: 0 }]), {
      timeout: 60_000,
    });
    expect((await ask(running.site)).status).toBe(502);
    expect((await ask(running.site)).status).toBe(503);
  });

  test("a proxy with passive checks minds failures that another one remembers", async () => {
    const upstreams = [{ dial: await deadAddress() }];
    const proxy = (path: string, more: object) => ({
      match: [{ path: [path] }],
      handle: [{ handler: "reverse_proxy", upstreams, ...more }],
    });
    const routes = [
      proxy("/remembers", { health_checks: { passive: { fail_duration: "1m" } } }),
      proxy("/minds", { health_checks: { passive: { unhealthy_status: [5] } } }),
      proxy("/ignores", {}),
    ];
    expect(await running.admin("POST", "/load", siteConfig(...routes))).toMatchObject({ status: 200 });
    const statuses = [];
    for (const path of ["minds", "minds", "remembers", "minds", "ignores"]) {
      statuses.push((await ask(`${running.site}/${path}`)).status);
    }
    expect(statuses).toEqual([502, 502, 502, 503, 502]);
  });

  test("max_requests limits what one upstream has under way", async () => {
    const arrived = new EventQueue<() => void>();
    const server = await upstream((_, response) => arrived.push(() => response.end("done")));
    const config = { handler: "reverse_proxy", upstreams: [{ dial: server.address, max_requests: 1 }] };
    await running.admin("POST", "/load", siteConfig({ handle: [config] }));
    const first = ask(running.site);
    const answerIt = await arrived.next();
    expect((await ask(running.site)).status).toBe(503);
    answerIt();
    expect((await first).text).toBe("done");
  });
});

describe("an upstream that fails", () => {
  test("in the middle of a response cuts the client's, and never looks whole", async () => {
    const server = await upstream((_, response) => {
      response.writeHead(200, { "Content-Length": 1_000 });
      response.write("begin", () => response.socket?.destroy());
    });
    await proxyTo([server.address]);
    await expect(ask(running.site)).rejects.toThrow();
  });

  test("before the response is 502, and a POST is sent only once", async () => {
    let requests = 0;
    const server = await upstream((request) => {
      requests++;
      request.socket.destroy();
    });
    await proxyTo([server.address], { load_balancing: { retries: 3, try_interval: "1ms" } });
    expect((await ask(running.site, { method: "POST", body: "x" })).status).toBe(502);
    expect(requests).toBe(1);
    expect((await ask(running.site)).status).toBe(502);
    expect(requests).toBe(5);
  });

  test.each([
    ["garbage", "garbage\r\n\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["nothing", ""],
  ])("with %s is 502", async (_, bytes) => {
    const raw = createServer((socket) => socket.once("data", () => socket.end(bytes))).listen(0, "127.0.0.1");
    await once(raw, "listening");
    await proxyTo([`127.0.0.1:${(raw.address() as { port: number }).port}`]);
    expect((await ask(running.site)).status).toBe(502);
    raw.close();
  });
});

describe("tunnels", () => {
  /** A WebSocket-like upstream: accepts, greets, and echoes. */
  async function echo(): Promise<UpstreamServer> {
    const server = await upstream((_, response) => response.writeHead(426).end("upgrade, please"));
    server.server.on("upgrade", (request, socket, head) => {
      if (request.url === "/no") {
        socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
        return;
      }
      const accept = `Sec-WebSocket-Accept: ${request.headers["sec-websocket-key"]}`;
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${accept}\r\n\r\nhello`,
      );
      socket.write(head);
      socket.pipe(socket);
    });
    return server;
  }

  const upgrade = (path: string, connection = "Upgrade") =>
    `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n`;

  test("carry bytes both ways, also those sent along, and outlive a reload", async () => {
    const server = await echo();
    await proxyTo([server.address]);
    const { port } = new URL(running.site);
    const client = connect(Number(port), "127.0.0.1");
    let seen = "";
    const until = async (part: string) => {
      while (!seen.includes(part)) {
        seen += String((await once(client, "data"))[0]);
      }
    };
    client.write(`${upgrade("/chat")}early`);
    await until("hello");
    await until("early");
    expect(seen).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(seen.toLowerCase()).toContain("sec-websocket-accept: k\r\n");
    expect(await upstreamList()).toEqual([{ address: server.address, num_requests: 1, fails: 0 }]);
    await proxyTo([server.address], roundRobin);
    client.write("after reload");
    await until("after reload");
    const closed = once(client, "close");
    await running.admin("DELETE", "/config/apps/http/servers/s");
    await closed;
  });

  test("are opened past `intercept`, whose routes cannot answer in their place", async () => {
    const server = await echo();
    const intercept = {
      handler: "intercept",
      handle_response: [{ routes: [{ handle: [{ handler: "static_response", body: "instead" }] }] }],
    };
    const proxy = { handler: "reverse_proxy", upstreams: [{ dial: server.address }] };
    await running.admin("POST", "/load", siteConfig({ handle: [intercept, proxy] }));
    const client = connect(Number(new URL(running.site).port), "127.0.0.1");
    client.write(`${upgrade("/chat")}early`);
    let seen = "";
    while (!seen.endsWith("helloearly")) {
      seen += String((await once(client, "data"))[0]);
    }
    expect(seen).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    client.destroy();
  });

  test("are not opened when the upstream declines", async () => {
    const server = await echo();
    await proxyTo([server.address]);
    const answer = await rawRequest(running.site, upgrade("/no", "Upgrade, close"));
    expect(answer).toMatch(/^HTTP\/1.1 403 Forbidden\r\n/);
    expect(answer).toMatch(/no$/);
  });

  test.each([
    ["a length", "Content-Length: 4\r\n\r\nbody"],
    ["chunks", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"],
  ])("are not opened for a request with a body of %s, which arrives whole", async (_, rest) => {
    const server = await upstream(async (request, response) => {
      response.end(`${request.method} ${request.headers.upgrade ?? "none"} [${await text(request)}]`);
    });
    await proxyTo([server.address]);
    const post = "POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: foo\r\n";
    const answer = await rawRequest(running.site, post + rest);
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain("POST none [body]");
  });

  test("to nobody are 502", async () => {
    await proxyTo([await deadAddress()]);
    expect(await rawRequest(running.site, upgrade("/", "Upgrade, close"))).toMatch(/^HTTP\/1.1 502 /);
  });

  test("have the headers that handlers add, and never a split one", async () => {
    const server = await echo();
    const headers = { response: { set: { "X-Q": ["{http.request.uri.query.q}"] } } };
    await proxyTo([server.address], { headers });
    const { port } = new URL(running.site);
    const client = connect(Number(port), "127.0.0.1");
    client.write(upgrade("/?q=fine%0d%0aInjected:%201"));
    expect(String((await once(client, "data"))[0])).toContain("X-Q: fine  Injected: 1\r\n");
    client.destroy();
  });

  test("lose nothing when the upstream sends much and leaves", async () => {
    const much = randomBytes(5_000_000);
    const server = await upstream(() => {});
    server.server.on("upgrade", (_, socket) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
      socket.end(much, () => socket.destroy());
    });
    await proxyTo([server.address]);
    const answer = await rawRequest(running.site, upgrade("/", "Upgrade, close"));
    expect(Buffer.from(answer.slice(answer.indexOf("\r\n\r\n") + 4), "latin1").equals(much)).toBe(true);
  });

  test("end on both sides when the client leaves", async () => {
    const server = await echo();
    const sockets = new EventQueue<import("node:stream").Duplex>();
    server.server.prependListener("upgrade", (_, socket) => sockets.push(socket));
    await proxyTo([server.address]);
    const { port } = new URL(running.site);
    const client = connect(Number(port), "127.0.0.1");
    client.write(upgrade("/"));
    await once(client, "data");
    const upstreamSocket = await sockets.next();
    const closed = once(upstreamSocket, "close");
    client.destroy();
    await closed;
    expect(await upstreamList()).toEqual([{ address: server.address, num_requests: 0, fails: 0 }]);
  });
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "an unknown policy",
    { load_balancing: { selection_policy: { policy: "zz" } } },
    "unknown module: http.reverse_proxy.selection_policies.zz",
  ],
  [
    "TLS with half a certificate",
    { transport: { protocol: "http", tls: { client_certificate_file: "a.pem" } } },
    "client_certificate_file and client_certificate_key_file go together",
  ],
  [
    "an unknown transport",
    { transport: { protocol: "zz" } },
    "unknown module: http.reverse_proxy.transport.zz",
  ],
  ["HTTP/3", { transport: { protocol: "http", versions: ["3"] } }, 'unsupported HTTP version "3"'],
  [
    "a proxy toward upstreams that is not spoken to",
    { transport: { protocol: "http", network_proxy: { from: "url", url: "socks4://a:1" } } },
    'network_proxy: "socks4://a:1" is not http://host:port',
  ],
  ["an unknown field", { zz: 1 }, 'json: unknown field "zz"'],
  ["a dial without a port", { upstreams: [{ dial: "a" }] }, "is not host:port"],
])("refuses %s at load", async (_, more, message) => {
  const config = siteConfig({ handle: [{ handler: "reverse_proxy", ...more }] });
  const answer = await running.admin("POST", "/load", config);
  expect(answer.status).toBe(400);
  expect(answer.error).toContain(message);
});
