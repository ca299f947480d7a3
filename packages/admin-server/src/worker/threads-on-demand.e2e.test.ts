import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, get } from "node:http";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { RunningServer } from "../testing/running-server.ts";

/** A handler that works for a while, and answers with the id of its thread. */
const modules = `
import { threadId } from "node:worker_threads";
import { defineModule, z } from "admin-server/module";
const handler = (name, handle) => defineModule({
  id: "http.handlers." + name,
  config: z.strictObject({}),
  provision: () => ({ handle }),
});
export default [
  handler("busy", (exchange) => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    exchange.respond(200, String(threadId));
  }),
];`;

let folder: string;
let running: RunningServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "threads-on-demand-"));
  await writeFile(join(folder, "busy.mjs"), modules);
  const config = {
    modules: [join(folder, "busy.mjs")],
    apps: {
      http: {
        servers: {
          s: {
            listen: ["127.0.0.1:0"],
            protocols: ["h1", "h2c"],
            routes: [
              { match: [{ path: ["/quiet"] }], handle: [{ handler: "static_response", body: "quiet" }] },
              { handle: [{ handler: "busy" }] },
            ],
          },
        },
      },
    },
  };
  running = await RunningServer.start(config, {}, { count: 2, onDemand: true });
});
afterAll(async () => {
  await running.close();
  await rm(folder, { recursive: true, force: true });
});

async function askHttp2(session: ClientHttp2Session, path: string): Promise<string> {
  return text(session.request({ ":path": path }));
}

test("a second thread starts under load, and gets its part of the connections without a failed request", {
  timeout: 180_000,
}, async () => {
  const { site, server } = running;
  expect(server.workers?.size).toBe(1);
  // An idle HTTP/1 connection, which must not be cut while a request is on its way.
  const idle = connect(Number(new URL(site).port), "127.0.0.1");
  const idleEnded = once(idle, "end");
  idle.write("GET /quiet HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(idle, "data");
  // Some HTTP/2 clients must open new connections.
  const sessions = Array.from({ length: 4 }, () => connectHttp2(site));
  onTestFinished(() => {
    for (const session of sessions) {
      session.destroy();
    }
    idle.destroy();
  });
  const farewells: number[] = [];
  for (const session of sessions) {
    session.on("goaway", (_code, lastStreamId) => farewells.push(lastStreamId));
    expect(await askHttp2(session, "/quiet")).toBe("quiet");
  }

  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const threads = new Set<string>();
  let closes = 0;
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const [response] = await once(get(site, { agent }), "response");
      expect(response.statusCode).toBe(200);
      closes += response.headers.connection === "close" ? 1 : 0;
      threads.add(await text(response));
    }
  };
  const clients = Array.from({ length: 8 }, client);
  await vi.waitFor(() => expect(threads.size).toBe(2), { timeout: 60_000, interval: 50 });
  isOver = true;
  await Promise.all(clients);
  expect(server.workers?.size).toBe(2);
  expect(closes).toBeGreaterThan(0);

  // A client that was asked to leave still gets an answer.
  idle.write("GET /quiet HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await idleEnded;
  await vi.waitFor(() => expect(farewells).toContain(2 ** 31 - 1));
});
