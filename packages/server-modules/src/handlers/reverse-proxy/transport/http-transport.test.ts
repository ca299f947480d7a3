import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, get } from "node:http";
import { createServer as createH2cServer, createSecureServer, type ServerHttp2Stream } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "certificates/testing/self-signed";
import { ask } from "server-core/testing/ask";
import { rawRequest } from "server-core/testing/raw-request";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";

let running: RunningServer;
let ca = "";
const tls = { cert: "", key: "" };
const servers: Server[] = [];

async function certificate(): Promise<void> {
  const made = await selfSigned("upstream.test", { names: ["upstream.test", "127.0.0.1"] });
  ca = made.certificate.raw.toString("base64");
  tls.cert = made.cert;
  tls.key = made.key;
}

beforeAll(async () => {
  await certificate();
  running = await RunningServer.start();
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
  }
});
afterAll(() => running.close());

async function listen(server: Server, path?: string): Promise<string> {
  servers.push(server);
  if (path === undefined) {
    server.listen(0, "127.0.0.1");
  } else {
    server.listen(path);
  }
  await once(server, "listening");
  return path === undefined ? `127.0.0.1:${(server.address() as { port: number }).port}` : `unix/${path}`;
}

async function load(dial: string, transport: Record<string, unknown> = {}): Promise<void> {
  const proxy = {
    handler: "reverse_proxy",
    upstreams: [{ dial }],
    transport: { protocol: "http", ...transport },
  };
  expect(await running.admin("POST", "/load", siteConfig({ handle: [proxy] }))).toMatchObject({
    status: 200,
  });
}

test("negative numbers stand for none, and no idle connections for none that are kept", async () => {
  let connections = 0;
  const server = createHttpServer((_, response) => response.end("ok")).on("connection", () => {
    connections++;
  });
  const dial = await listen(server);
  const transport = {
    protocol: "http",
    dial_timeout: -1,
    dial_fallback_delay: "-300ms",
    response_header_timeout: -1,
    read_timeout: "-1s",
    write_timeout: -1,
    max_conns_per_host: -1,
    max_response_header_size: -1,
    read_buffer_size: -1,
    write_buffer_size: -1,
    keep_alive: { max_idle_conns_per_host: -1, probe_interval: -1, idle_timeout: -1 },
  };
  const proxy = {
    handler: "reverse_proxy",
    upstreams: [{ dial, max_requests: -1 }],
    transport,
    load_balancing: { retries: -1, try_duration: -1, try_interval: -1 },
    health_checks: {
      passive: { fail_duration: -1, max_fails: -1, unhealthy_request_count: -1, unhealthy_latency: -1 },
    },
    request_buffers: -2,
    response_buffers: -2,
    stream_timeout: -1,
    stream_close_delay: -1,
  };
  expect(await running.admin("POST", "/load", siteConfig({ handle: [proxy] }))).toMatchObject({
    status: 200,
  });
  expect([(await ask(running.site)).text, (await ask(running.site)).text]).toEqual(["ok", "ok"]);
  expect(connections).toBe(2);
  await load(dial);
  expect([(await ask(running.site)).text, (await ask(running.site)).text]).toEqual(["ok", "ok"]);
  expect(connections).toBe(3);
});

describe("HTTP/2", () => {
  test("without TLS carries bodies both ways, many at once, on one connection", async () => {
    let sessions = 0;
    const server = createH2cServer((request, response) => {
      response.setHeader("x-version", request.httpVersion);
      response.setHeader("x-authority", request.authority);
      request.pipe(response);
    });
    server.on("session", () => {
      sessions++;
    });
    await load(await listen(server), { versions: ["h2c", "2"] });
    const bodies = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
    const answers = await Promise.all(
      bodies.map((body) => ask(running.site, { method: "POST", body, headers: { Host: "site.example" } })),
    );
    expect(answers.map(({ text }) => text)).toEqual(bodies);
    expect(answers[0]?.headers).toMatchObject({
      "x-version": "2.0",
      "x-authority": "site.example",
      via: "2.0 server",
    });
    expect(sessions).toBe(1);
  });

  test("tells the length of no body where a method may have one", async () => {
    const server = createH2cServer((request, response) => {
      response.end(String(request.headers["content-length"]));
    });
    await load(await listen(server), { versions: ["h2c", "2"] });
    const told = async (method: string) => (await ask(running.site, { method })).text;
    expect([await told("PUT"), await told("GET"), await told("DELETE")]).toEqual([
      "0",
      "undefined",
      "undefined",
    ]);
  });

  test("hands trailers on", async () => {
    const server = createH2cServer();
    server.on("stream", (stream: ServerHttp2Stream) => {
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "7" }));
      stream.end("body");
    });
    await load(await listen(server), { versions: ["h2c"] });
    const answer = await rawRequest(running.site, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    expect(answer).toContain("\r\n0\r\ngrpc-status: 7\r\n\r\n");
  });

  test("a stream that the upstream breaks off before its response is 502", async () => {
    const server = createH2cServer();
    server.on("stream", (stream: ServerHttp2Stream) => {
      stream.on("error", () => {});
      stream.close(2);
    });
    await load(await listen(server), { versions: ["h2c"] });
    expect((await ask(running.site)).status).toBe(502);
  });

  test.each([
    ["answers in HTTP/1", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"],
    ["sends a frame over the limit", Buffer.from([255, 255, 255, 0, 0, 0, 0, 0, 1])],
    [
      "sends a response to nothing",
      Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 5, 0, 0, 0, 9, 0x88]),
    ],
  ])("an upstream that %s is 502", async (_, answer) => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(answer));
    });
    await load(await listen(server), { versions: ["h2c"] });
    expect((await ask(running.site)).status).toBe(502);
  });

  test("a head may be as long as max_response_header_size, with any number of fields, and no longer", async () => {
    const server = createH2cServer((request, response) => {
      for (let index = 0; index < Number(request.headers["x-fields"]); index++) {
        response.setHeader(`x-${index}`, "v".repeat(20));
      }
      response.end();
    });
    await load(await listen(server), { versions: ["h2c"], max_response_header_size: 40_000 });
    const status = async (fields: number) =>
      (await ask(running.site, { headers: { "X-Fields": String(fields) } })).status;
    expect([await status(300), await status(2_000), await status(1)]).toEqual([200, 502, 200]);
  });

  test("fields that stand twice go on twice, whatever they are", async () => {
    const server = createH2cServer((request, response) => {
      const { rawHeaders } = request;
      const values = rawHeaders.filter((_, at) =>
        /^(if-none-match|range|user-agent)$/.test(rawHeaders[at - 1] ?? ""),
      );
      response.end(values.join());
    });
    await load(await listen(server), { versions: ["h2c"] });
    const twice = ["If-None-Match: a", "If-None-Match: b", "Range: c", "User-Agent: d", "Range: e"];
    const answer = await rawRequest(
      running.site,
      `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${twice.join("\r\n")}\r\n\r\n`,
    );
    expect(answer).toContain("a,b,c,d,e");
  });

  test("an upstream that goes away is dialed again", async () => {
    const server = createH2cServer((_, response) => response.end("ok"));
    const sessions: { destroy(): void }[] = [];
    server.on("session", (session) => sessions.push(session));
    await load(await listen(server), { versions: ["h2c"] });
    expect((await ask(running.site)).text).toBe("ok");
    sessions[0]?.destroy();
    expect((await ask(running.site)).text).toBe("ok");
  });
});

describe("TLS", () => {
  test("speaks what the upstream chooses: HTTP/2", async () => {
    const server = createSecureServer({ ...tls, allowHTTP1: true }, (request, response) =>
      response.end(`${request.httpVersion} ${request.authority}`),
    );
    const dial = await listen(server);
    await load(dial, { tls: { root_ca_pool: [ca] } });
    const answers = await Promise.all([ask(running.site), ask(running.site), ask(running.site)]);
    expect(answers.map(({ text }) => text)).toEqual(Array(3).fill(`2.0 ${dial}`));
  });

  test("speaks what the upstream chooses: HTTP/1.1, with a name of the config", async () => {
    const server = createHttpsServer(tls, (request, response) => {
      response.end(`${request.httpVersion} ${(request.socket as import("node:tls").TLSSocket).servername}`);
    });
    await load(await listen(server), {
      tls: { ca: { provider: "inline", trusted_ca_certs: [ca] }, server_name: "{http.request.host}" },
    });
    const answers = await Promise.all(
      [1, 2, 3].map(() => ask(running.site, { headers: { Host: "upstream.test" } })),
    );
    expect(answers.map(({ text }) => text)).toEqual(Array(3).fill("1.1 upstream.test"));
    expect((await ask(running.site, { headers: { Host: "other.test" } })).status).toBe(502);
  });

  test.each([
    [["1.1"], "1.1", "1.1"],
    [["2"], "2.0", "1.1"],
    [["h2c"], "2.0", "1.1"],
    [["h2c", "1.1"], "2.0", "1.1"],
  ])(
    "versions %j: %s where the upstream has both, %s where it has no HTTP/2",
    async (versions, both, one) => {
      const answer: import("node:http").RequestListener = ({ httpVersion }, response) =>
        response.end(httpVersion);
      const servers = [
        createSecureServer({ ...tls, allowHTTP1: true }, answer as never),
        createHttpsServer(tls, answer),
      ];
      for (const [index, server] of servers.entries()) {
        await load(await listen(server), { versions, tls: { insecure_skip_verify: true } });
        expect((await ask(running.site)).text).toBe([both, one][index]);
      }
    },
  );

  test("an upstream that nobody vouches for is 502, unless verification is off", async () => {
    const server = createHttpsServer(tls, (_, response) => response.end("ok"));
    const dial = await listen(server);
    await load(dial, { tls: {} });
    expect((await ask(running.site)).status).toBe(502);
    await load(dial, { tls: { insecure_skip_verify: true } });
    expect((await ask(running.site)).text).toBe("ok");
  });

  test("ports may be left out of it", async () => {
    const server = createHttpServer((_, response) => response.end("plain"));
    const dial = await listen(server);
    await load(dial, { tls: { except_ports: [dial.split(":")[1]] } });
    expect((await ask(running.site)).text).toBe("plain");
  });
});

describe("connections", () => {
  test("over a unix socket", async () => {
    const folder = await mkdtemp(join(tmpdir(), "upstream-"));
    const server = createHttpServer((_, response) => response.end("unix"));
    await load(await listen(server, join(folder, "s")));
    expect((await ask(running.site)).text).toBe("unix");
    await rm(folder, { recursive: true });
  });

  test("are kept, and outlive a reload", async () => {
    let connections = 0;
    const asked: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      asked.push(request.headers.connection);
      response.end();
    });
    server.on("connection", () => {
      connections++;
    });
    const dial = await listen(server);
    await load(dial);
    await ask(running.site);
    await load(dial, { versions: null });
    await ask(running.site);
    expect(connections).toBe(1);
    await load(dial, { keep_alive: { enabled: false } });
    await ask(running.site);
    await ask(running.site);
    expect(connections).toBe(3);
    expect(asked).toEqual([undefined, undefined, "close", "close"]);
  });

  test("are no more than max_conns_per_host: requests wait", async () => {
    let most = 0;
    const held: import("node:http").ServerResponse[] = [];
    const server = createHttpServer((_, response) => {
      held.push(response);
      most = Math.max(most, held.length);
      if (held.length === 2) {
        for (const each of held.splice(0)) {
          each.end();
        }
      }
    });
    await load(await listen(server), { max_conns_per_host: 2 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(running.site)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(most).toBe(2);
  });

  test.each(["v1", "v2"])("begin with a PROXY protocol header %s", async (version) => {
    const heads: Buffer[] = [];
    const server = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (bytes: Buffer) => {
        heads.push(bytes);
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    });
    await load(await listen(server), { proxy_protocol: version });
    expect((await ask(running.site)).text).toBe("ok");
    const [head = Buffer.alloc(0)] = heads;
    if (version === "v1") {
      expect(head.toString("latin1")).toMatch(/^PROXY TCP4 127\.0\.0\.1 127\.0\.0\.1 \d+ \d+\r\n/);
    } else {
      expect(head.toString("hex", 0, 24)).toMatch(/^0d0a0d0a000d0a515549540a2111000c7f0000017f000001/);
    }
  });
});

test("bodies that clients take slowly arrive as they were sent, many at once", async () => {
  const body = randomBytes(3_000_000);
  const server = createHttpServer((request, response) => {
    // Each body has a unique mark, so that exchanged bodies are noticed.
    const mark = Buffer.from(String(request.url).padEnd(16));
    response.writeHead(
      200,
      request.url?.endsWith("c") ? {} : { "Content-Length": body.length + mark.length },
    );
    response.write(mark);
    response.end(body);
  });
  await load(await listen(server));
  const answers = await Promise.all(
    Array.from({ length: 24 }, async (_, index) => {
      const target = `/${index}${index % 2 === 0 ? "c" : "l"}`;
      const { port } = new URL(running.site);
      const chunks: Buffer[] = [];
      await new Promise<void>((resolve, reject) => {
        get({ host: "127.0.0.1", port, path: target, agent: false }, (response) => {
          response.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            response.pause();
            setImmediate(() => response.resume());
          });
          response.once("end", resolve);
        }).once("error", reject);
      });
      return Buffer.concat(chunks).equals(Buffer.concat([Buffer.from(target.padEnd(16)), body]));
    }),
  );
  expect(answers).toEqual(Array(24).fill(true));
});
