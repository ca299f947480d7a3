import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { sendAdminRequest } from "../../../src/admin-api/comparison/admin-request.ts";
import { TestedProcess } from "../../../src/all-processes/tested-process.ts";
import type { Scratch } from "../scratch.ts";

export const threadCount = 3;

/** Handlers that answer with the id of their thread, or end it. */
const modules = `
import { threadId } from "node:worker_threads";
import { setTimeout as sleep } from "node:timers/promises";
import { defineModule, z } from "admin-server/module";
const handler = (name, handle) => defineModule({
  id: "http.handlers." + name, config: z.strictObject({}), provision: () => ({ handle }),
});
export default [
  handler("show_thread", (exchange, next) => {
    exchange.beforeHead((headers) => headers.push("X-Thread", String(threadId)));
    return next(exchange);
  }),
  handler("end_thread", async (exchange) => {
    exchange.responseHeaders.push("Content-Length", "4");
    exchange.writeHead(200);
    exchange.flush();
    await sleep(50);
    process.exit(1);
  }),
];`;

/** An upstream that echoes tunnels, streams endless events, and answers all other requests with the target. */
async function openUpstream(delayMs: number): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== "/events") {
      setTimeout(() => response.end(request.url), delayMs);
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    let number = 0;
    const timer = setInterval(() => response.write(`data: ${number++}\n\n`), 20);
    response.on("close", () => clearInterval(timer));
  });
  server.on("upgrade", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

/** The web server with several threads; any client can end one of them. */
export class ThreadSite {
  readonly port: number;
  readonly #adminPort: number;
  readonly #process: TestedProcess;
  readonly #upstream: Server;
  readonly #modules: string;

  private constructor(
    port: number,
    adminPort: number,
    backend: TestedProcess,
    upstream: Server,
    modules: string,
  ) {
    this.port = port;
    this.#adminPort = adminPort;
    this.#process = backend;
    this.#upstream = upstream;
    this.#modules = modules;
  }

  static async start(scratch: Scratch, upstreamMs: number): Promise<ThreadSite> {
    const folder = scratch.folder();
    const [address = "", admin = ""] = await freeAddresses(2);
    const portOf = (each: string) => Number(each.split(":")[1]);
    const upstream = await openUpstream(upstreamMs);
    const backend = new TestedProcess(
      "admin-server",
      "admin-server/bin/server.ts",
      ["run"],
      `http://${admin}/config/`,
      {
        SERVER_ADMIN: admin,
        SERVER_WORKERS: String(threadCount),
        XDG_CONFIG_HOME: join(folder, "config"),
        XDG_DATA_HOME: join(folder, "data"),
        TEST_MAY_DIE: "yes",
      },
    );
    const file = join(folder, "threads.mjs");
    writeFileSync(file, modules);
    await backend.start();
    const site = new ThreadSite(portOf(address), portOf(admin), backend, upstream, file);
    await site.load(0);
    return site;
  }

  /** Number of deaths that the server has logged. */
  get deaths(): number {
    return this.#process.log.match(/worker \d+ died/g)?.length ?? 0;
  }

  /** Number of restarted threads that serve. */
  get successors(): number {
    return this.#process.log.match(/worker \d+ serves again/g)?.length ?? 0;
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  get log(): string {
    return this.#process.log;
  }

  /** Loads the configuration whose `/version` answers with this number. @throws Error when the server refuses it */
  async load(version: number): Promise<void> {
    const upstream = { dial: `127.0.0.1:${(this.#upstream.address() as AddressInfo).port}` };
    const on = (path: string, handler: object) => ({ match: [{ path: [path] }], handle: [handler] });
    const routes = [
      { handle: [{ handler: "show_thread" }] },
      on("/version", { handler: "static_response", body: String(version) }),
      on("/end-thread", { handler: "end_thread" }),
      { handle: [{ handler: "reverse_proxy", upstreams: [upstream], flush_interval: -1 }] },
    ];
    const server = {
      listen: [`127.0.0.1:${this.port}`],
      automatic_https: { disable: true },
      protocols: ["h1", "h2c"],
      routes,
    };
    const reply = await sendAdminRequest(this.#adminPort, {
      method: "POST",
      target: "/load",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ modules: [this.#modules], apps: { http: { servers: { s: server } } } }),
    });
    if (reply.status !== 200) {
      throw new Error(`POST /load: ${reply.status} ${reply.body.trim()}`);
    }
  }

  /** Ends the thread that accepts a new connection. @returns its number; undefined without an answer */
  endThread(): Promise<string | undefined> {
    return new Promise((resolve) => {
      let head = "";
      const socket = connect(this.port, "127.0.0.1");
      socket.on("data", (chunk) => {
        head += chunk.toString("latin1");
      });
      socket.on("error", () => {}); // the connection always ends with an error
      socket.on("close", () => resolve(/x-thread: (\d+)/i.exec(head)?.[1]));
      socket.write("GET /end-thread HTTP/1.1\r\nHost: site\r\n\r\n");
    });
  }

  async close(): Promise<void> {
    await this.#process.end("SIGKILL");
    this.#upstream.closeAllConnections();
    this.#upstream.close();
  }
}
