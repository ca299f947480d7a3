import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createH2cServer } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { RunningServer, siteConfig } from "../../../../../admin-server/src/testing/running-server.ts";

const threads = 3;
let running: RunningServer;
beforeAll(async () => {
  running = await RunningServer.start(null, {}, threads);
});
afterAll(() => running.close());

async function listen(server: Server): Promise<string> {
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function load(dial: string, transport: object): Promise<void> {
  const handler = {
    handler: "reverse_proxy",
    upstreams: [{ dial }],
    transport: { protocol: "http", ...transport },
  };
  expect((await running.admin("POST", "/load", siteConfig({ handle: [handler] }))).status).toBe(200);
}

/** Sends a request on a new connection, so that any thread may accept it. */
function askAnew(): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(running.site, { agent: new Agent() }, (response: IncomingMessage) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    asked.once("error", reject);
    asked.end();
  });
}

const times = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, askAnew));

describe("max_conns_per_host is one truth over all threads", () => {
  test("requests of all threads wait for a free connection, and all get one", async () => {
    const held: ServerResponse[] = [];
    let most = 0;
    let left = 60;
    const server = createServer((_, response) => {
      held.push(response);
      most = Math.max(most, held.length);
      // Requests are answered in pairs, shortly after both have arrived, so that a third one could arrive in between.
      if (held.length === Math.min(2, left)) {
        setTimeout(() => {
          left -= held.length;
          for (const each of held.splice(0)) {
            each.end("ok");
          }
        }, 2);
      }
    });
    await load(await listen(server), { max_conns_per_host: 2 });
    expect(await times(60)).toEqual(Array(60).fill(200));
    expect(most).toBe(2);
  });

  test("fewer connections than threads change hands, idle or not", async () => {
    let underWay = 0;
    let most = 0;
    const server = createServer((_, response) => {
      underWay++;
      most = Math.max(most, underWay);
      setImmediate(() => {
        underWay--;
        response.end("ok");
      });
    });
    await load(await listen(server), { max_conns_per_host: 1 });
    expect(await times(40)).toEqual(Array(40).fill(200));
    expect(most).toBe(1);
    // The requests are sequential, so the idle connection is in the thread that used it last.
    for (let count = 0; count < 12; count++) {
      expect(await askAnew()).toBe(200);
    }
  });

  test("connections of HTTP/2 count too", async () => {
    const sessions = new Set<object>();
    let most = 0;
    const server = createH2cServer((request, response) => {
      // A connection counts only while it has streams, because a connection that was told to end may still be closing.
      const session = request.stream.session ?? {};
      sessions.add(session);
      most = Math.max(most, sessions.size);
      setImmediate(() => {
        sessions.delete(session);
        response.end("ok");
      });
    });
    await load(await listen(server), { max_conns_per_host: 1, versions: ["h2c"] });
    expect(await times(40)).toEqual(Array(40).fill(200));
    for (let count = 0; count < 12; count++) {
      expect(await askAnew()).toBe(200);
    }
    expect(most).toBe(1);
  });

  test("a connection that cannot be opened gives its place back", async () => {
    const server = createServer();
    const dial = await listen(server);
    server.close();
    await once(server, "close");
    await load(dial, { max_conns_per_host: 1 });
    expect(await times(12)).toEqual(Array(12).fill(502));
  });
});

test.each([["max_idle_conns"], ["max_idle_conns_per_host"]])(
  "%s is one truth over all threads",
  async (field) => {
    const together = 12;
    const held: ServerResponse[] = [];
    const server = createServer((_, response) => {
      held.push(response);
      if (held.length === together) {
        for (const each of held.splice(0)) {
          each.end("ok");
        }
      }
    });
    let open = 0;
    const fewLeft = Promise.withResolvers<void>();
    server.on("connection", (socket) => {
      open++;
      socket.once("close", () => {
        open--;
        if (open <= 2) {
          fewLeft.resolve();
        }
      });
    });
    await load(await listen(server), { keep_alive: { [field]: 2 } });
    expect(await times(together)).toEqual(Array(together).fill(200));
    await fewLeft.promise;
  },
);
