import { once } from "node:events";
import { constants, createServer as createH2cServer, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { ask } from "server-core/testing/ask";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";
import { H2Pool } from "./h2/h2-pool.ts";
import type { UpstreamRequest } from "./transport.ts";

let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start();
});
afterAll(() => running.close());

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function load(dials: readonly string[], versions: readonly string[]): Promise<void> {
  const proxy = {
    handler: "reverse_proxy",
    upstreams: dials.map((dial) => ({ dial })),
    load_balancing: { selection_policy: { policy: "first" } },
    health_checks: { passive: { fail_duration: "1m", max_fails: 100 } },
    transport: { protocol: "http", versions },
  };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [proxy] }))).status).toBe(200);
}

async function fails(): Promise<number[]> {
  const { text } = await running.admin("GET", "/reverse_proxy/upstreams");
  return (JSON.parse(text) as { fails: number }[]).map((each) => each.fails);
}

/** Answers each stream with `answer`. @param answer gets the number of earlier streams over all connections */
function h2Upstream(answer: (stream: ServerHttp2Stream, before: number) => void): Server {
  let count = 0;
  return createH2cServer().on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    answer(stream, count++);
  });
}

function ok(stream: ServerHttp2Stream): void {
  stream.respond({ ":status": 200 });
  stream.end("ok");
}

const post = { method: "POST", headers: { "Content-Length": "0" } };

describe("HTTP/2: what an upstream did not look at", () => {
  test.each([
    ["going away", constants.NGHTTP2_NO_ERROR],
    ["going away with an error", constants.NGHTTP2_ENHANCE_YOUR_CALM],
  ])("is sent again on another connection when it is %s", async (_, code) => {
    const sessions: unknown[] = [];
    const server = h2Upstream((stream, before) => {
      sessions.push(stream.session);
      if (before === 1) {
        stream.session?.goaway(code, 1);
      } else {
        ok(stream);
      }
    });
    await load([await listen(server)], ["h2c"]);
    expect((await ask(running.site, post)).status).toBe(200);
    expect((await ask(running.site, post)).status).toBe(200);
    expect(sessions).toHaveLength(3);
    expect(sessions[1]).toBe(sessions[0]);
    expect(sessions[2]).not.toBe(sessions[0]);
    expect(await fails()).toEqual([0]);
  });

  test("is sent again when it was refused, and is no failure", async () => {
    let streams = 0;
    const server = h2Upstream((stream, before) => {
      streams++;
      if (before === 0) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
      } else {
        ok(stream);
      }
    });
    await load([await listen(server)], ["h2c"]);
    expect((await ask(running.site, post)).status).toBe(200);
    expect(streams).toBe(2);
    expect(await fails()).toEqual([0]);
  });

  test("takes its body along while none of it was read", async () => {
    const second = Promise.withResolvers<void>();
    const server = h2Upstream((stream, before) => {
      if (before === 0) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM);
      } else {
        second.resolve();
        stream.respond({ ":status": 200 });
        stream.pipe(stream);
      }
    });
    await load([await listen(server)], ["h2c"]);
    const { hostname, port } = new URL(running.site);
    const client = connect(Number(port), hostname);
    client.write("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n");
    await second.promise;
    client.write("hello");
    let text = "";
    for await (const chunk of client) {
      text += String(chunk);
    }
    expect(text).toMatch(/^HTTP\/1.1 200 /);
    expect(text).toContain("hello");
  });

  test("goes to another upstream when the first refuses it again", async () => {
    let refused = 0;
    const first = h2Upstream((stream) => {
      refused++;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    await load([await listen(first), await listen(h2Upstream(ok))], ["h2c"]);
    expect((await ask(running.site, post)).status).toBe(200);
    expect(refused).toBe(2);
    expect(await fails()).toEqual([1, 0]);
  });

  test("is sent again six times at most, with growing pauses", async () => {
    const pauses: number[] = [];
    const timer = globalThis.setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((callback: () => void, ms: number) => {
      if (ms >= 1_000 && ms < 60_000) {
        pauses.push(ms);
      }
      return timer(callback, ms < 60_000 ? 0 : ms);
    }) as typeof setTimeout);
    onTestFinished(() => void vi.restoreAllMocks());
    let streams = 0;
    const server = h2Upstream((stream) => {
      streams++;
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    });
    const [host, port] = (await listen(server)).split(":");
    const pool = new H2Pool({
      dial: (_, done) => {
        const socket = connect(Number(port), host, () => done(undefined, socket));
        return () => socket.destroy();
      },
      scheme: "http",
      idleTimeoutMs: 60_000,
      responseHeaderTimeoutMs: 0,
      maxHeaderBytes: 10_000,
      idle: [],
      slots: undefined,
    });
    onTestFinished(() => pool.close());
    const failed = Promise.withResolvers<unknown>();
    const ignore = (): void => {};
    const request: UpstreamRequest = {
      method: "POST",
      target: "/",
      headers: ["Host", "a"],
      body: Buffer.from("body"),
      bodyLength: 4,
      upgrade: "",
      exchange: undefined,
    };
    pool.call(request, {
      sent: ignore,
      interim: ignore,
      head: () => failed.reject(new Error("answered")),
      data: () => true,
      end: ignore,
      switched: ignore,
      failed: (_, stage) => failed.resolve(stage),
    });
    expect(await failed.promise).toBe("dial");
    expect(streams).toBe(7);
    expect(pauses.map((each, index) => each >= 1_000 * 2 ** index && each <= 1_100 * 2 ** index)).toEqual(
      Array(5).fill(true),
    );
  });
});

describe("HTTP/2: what an upstream may have looked at is sent once", () => {
  test.each([
    ["goes away after it with an error", constants.NGHTTP2_ENHANCE_YOUR_CALM],
    ["goes away after it and says it refuses streams", constants.NGHTTP2_REFUSED_STREAM],
  ])("%s", async (_, code) => {
    let streams = 0;
    const server = h2Upstream((stream) => {
      streams++;
      stream.session?.goaway(code, stream.id);
    });
    await load([await listen(server), await listen(h2Upstream(ok))], ["h2c"]);
    expect((await ask(running.site, post)).status).toBe(502);
    expect(streams).toBe(1);
  });

  test("a stream reset with another code", async () => {
    let streams = 0;
    const server = h2Upstream((stream) => {
      streams++;
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    await load([await listen(server), await listen(h2Upstream(ok))], ["h2c"]);
    expect((await ask(running.site, post)).status).toBe(502);
    expect(streams).toBe(1);
  });
});

describe("HTTP/1.1: a kept connection that the upstream closes as a request is sent on it", () => {
  /** Closes each connection with its second request, and answers the first. @returns the lines of all requests */
  function closingUpstream(hold = 1): { server: Server; lines: string[] } {
    const lines: string[] = [];
    const held: Socket[] = [];
    const server = createServer((socket) => {
      let requests = 0;
      socket.on("error", () => {});
      socket.on("data", (bytes) => {
        lines.push(String(bytes).split("\r\n")[0] ?? "");
        requests++;
        if (requests > 1) {
          socket.destroy();
          return;
        }
        held.push(socket);
        if (held.length >= hold || lines.length > hold) {
          for (const each of held.splice(0)) {
            each.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
          }
        }
      });
    });
    return { server, lines };
  }

  test("costs a safe request nothing, however many there are", async () => {
    const { server, lines } = closingUpstream(3);
    await load([await listen(server)], ["1.1"]);
    await Promise.all([ask(running.site), ask(running.site), ask(running.site)]);
    expect((await ask(running.site)).status).toBe(200);
    expect(lines).toHaveLength(7);
    expect(await fails()).toEqual([0]);
  });

  test("is a failure for another one, which is sent once", async () => {
    const { server, lines } = closingUpstream();
    await load([await listen(server)], ["1.1"]);
    expect((await ask(running.site)).status).toBe(200);
    expect((await ask(running.site, post)).status).toBe(502);
    expect(lines).toEqual(["GET / HTTP/1.1", "POST / HTTP/1.1"]);
    expect(await fails()).toEqual([1]);
  });

  test("costs nothing where the client says that it may be sent twice", async () => {
    const { server, lines } = closingUpstream();
    await load([await listen(server)], ["1.1"]);
    expect((await ask(running.site)).status).toBe(200);
    const headers = { ...post.headers, "Idempotency-Key": "8e03978e" };
    expect((await ask(running.site, { method: "POST", headers })).status).toBe(200);
    expect(lines).toHaveLength(3);
  });
});

test("over a new connection nothing is sent a second time unless retries are asked for", async () => {
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      lines.push(String(bytes).split("\r\n")[0] ?? "");
      socket.destroy();
    });
  });
  const dial = await listen(server);
  await load([dial, dial], ["1.1"]);
  expect((await ask(running.site)).status).toBe(502);
  expect(lines).toEqual(["GET / HTTP/1.1"]);
});

test("HTTP/2: a kept connection that breaks off under a safe request costs nothing, another one is sent once", async () => {
  let streams = 0;
  const server = h2Upstream((stream) => {
    streams++;
    if (stream.id === 1) {
      ok(stream);
    } else {
      stream.session?.socket.destroy();
    }
  });
  await load([await listen(server)], ["h2c"]);
  expect((await ask(running.site)).status).toBe(200);
  expect((await ask(running.site)).status).toBe(200);
  expect((await ask(running.site, post)).status).toBe(502);
  expect(streams).toBe(4);
});
