import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { prefixed } from "http-protocols/grpc-client";
import { statusDetails } from "http-protocols/testing";
import { createLogger } from "lifecycle";
import { afterEach, describe, expect, test } from "vitest";
import { CollectorPool } from "./collector-pool.ts";

/** Timeout that is long enough for a busy machine. */
const patience = { timeout: 60_000 };

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanUp.splice(0).reverse()) {
    step();
  }
});

const log = createLogger({ name: "test", level: "fatal", encoding: "json" });
const message = prefixed(Buffer.from("request"));

/** A gRPC server that answers with its name, or with the trailers that a test sets. */
class NamedServer {
  calls = 0;
  trailers: Record<string, string> = { "grpc-status": "0" };
  readonly #name: string;
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Http2Server | undefined;

  constructor(name: string) {
    this.#name = name;
    cleanUp.push(() => this.kill());
  }

  async listen(host: string, port: number): Promise<number> {
    const server = createServer();
    this.#server = server;
    server.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.on("error", () => {});
    });
    server.on("stream", (stream: ServerHttp2Stream) => {
      this.calls++;
      stream.on("error", () => {});
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers(this.trailers));
      stream.resume();
      stream.end(this.trailers["grpc-status"] === "0" ? prefixed(Buffer.from(this.#name)) : undefined);
    });
    server.listen(port, host);
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  kill(): void {
    for (const session of this.#sessions) {
      session.destroy();
    }
    this.#server?.close();
  }
}

function open(host: string, port: number, lookUp?: () => Promise<readonly string[]>): CollectorPool {
  const collectors = [{ text: `${host}:${port}`, host, port, isName: lookUp !== undefined }];
  const pool = new CollectorPool({ collectors, tls: () => undefined, log, ...(lookUp && { lookUp }) });
  cleanUp.push(() => pool.close());
  return pool;
}

const ask = async (pool: CollectorPool) => {
  const answer = await pool.call("/p.S/M", message);
  return answer.status === "OK" ? answer.message.toString() : answer.status;
};

describe("CollectorPool", () => {
  test("calls every address of a name in turn, and the others when one is gone", async () => {
    const [a, b] = [new NamedServer("a"), new NamedServer("b")];
    const port = await a.listen("127.0.0.1", 0);
    await b.listen("127.0.0.2", port);
    const pool = open("collectors.test", port, async () => ["127.0.0.1", "127.0.0.2"]);
    await expect.poll(() => pool.names[0]?.connected, patience).toBe(2);
    const answers = [await ask(pool), await ask(pool), await ask(pool), await ask(pool)];
    expect(answers.sort()).toEqual(["a", "a", "b", "b"]);
    b.kill();
    await expect.poll(() => pool.names[0]?.connected, patience).toBe(1);
    expect([await ask(pool), await ask(pool)]).toEqual(["a", "a"]);
  });

  test("finds the new addresses of a name after a loss, and leaves those that are gone from it", async () => {
    const [a, b] = [new NamedServer("a"), new NamedServer("b")];
    const port = await a.listen("127.0.0.1", 0);
    await b.listen("127.0.0.2", port);
    let addresses = ["127.0.0.1"];
    const pool = open("collectors.test", port, async () => addresses);
    expect(await ask(pool)).toBe("a");
    addresses = ["127.0.0.2"];
    a.kill();
    await expect
      .poll(() => pool.names[0]?.endpoints.map(({ address }) => address), { timeout: 60_000 })
      .toEqual(addresses);
    expect(await ask(pool)).toBe("b");
  });

  test("waits for the first connection, and says why there is none", async () => {
    const server = new NamedServer("late");
    const port = await server.listen("127.0.0.1", 0);
    const pool = open("127.0.0.1", port);
    expect(await ask(pool)).toBe("late");
    server.kill();
    await expect.poll(() => pool.names[0]?.lastError, patience).toContain("ECONNREFUSED");
    expect(await pool.call("/p.S/M", message)).toMatchObject({
      status: "UNAVAILABLE",
      details: expect.stringContaining(`connect ECONNREFUSED 127.0.0.1:${port}`),
    });
  });

  test("says what is wrong with a name", async () => {
    const pool = open("nowhere.test", 1, () =>
      Promise.reject(new Error("getaddrinfo ENOTFOUND nowhere.test")),
    );
    expect(await pool.call("/p.S/M", message)).toMatchObject({
      status: "UNAVAILABLE",
      details: "no collector is connected: getaddrinfo ENOTFOUND nowhere.test",
    });
  });

  test("leaves a collector alone for as long as it asks, while there are others", async () => {
    const [busy, idle] = [new NamedServer("busy"), new NamedServer("idle")];
    const port = await busy.listen("127.0.0.1", 0);
    await idle.listen("127.0.0.2", port);
    busy.trailers = {
      "grpc-status": "8",
      "grpc-message": "full%20up",
      "grpc-status-details-bin": statusDetails({ seconds: 50, nanos: 0 }).toString("base64"),
    };
    const pool = open("collectors.test", port, async () => ["127.0.0.1", "127.0.0.2"]);
    await expect.poll(() => pool.names[0]?.connected, patience).toBe(2);
    const answers = new Set([await ask(pool), await ask(pool), await ask(pool), await ask(pool)]);
    expect(answers).toEqual(new Set(["RESOURCE_EXHAUSTED", "idle"]));
    expect(busy.calls).toBe(1);
    await pool.unpaused(new AbortController().signal); // Resolves immediately, because one collector accepts calls.

    idle.kill();
    await expect.poll(() => pool.names[0]?.connected, patience).toBe(1);
    const stop = new AbortController();
    let isWaiting = true;
    const waited = pool.unpaused(stop.signal).then(() => {
      isWaiting = false;
    });
    await new Promise(setImmediate);
    expect(isWaiting).toBe(true);
    stop.abort();
    await waited;
  });
});
