import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "@prometheus-io/client";
import { createLogger } from "lifecycle";
import { ask, type HttpAnswer } from "server-core/testing/ask";
import { Server } from "../server.ts";
import type { WorkerThreadOptions } from "../worker/open-threads.ts";

/** The admin endpoint's answer. */
export interface AdminAnswer extends HttpAnswer {
  /** `error` of a JSON body; "" when there is none. */
  readonly error: string;
}

/** For tests: a whole server in this process, on ports that the system chooses, with its own config folder. */
export class RunningServer {
  readonly server: Server;
  readonly configFolder: string;
  /** Resolves when `POST /stop` was answered. */
  readonly stopRequested: Promise<void>;

  private constructor(server: Server, configFolder: string, stopRequested: Promise<void>) {
    this.server = server;
    this.configFolder = configFolder;
    this.stopRequested = stopRequested;
  }

  static async start(
    config: unknown = null,
    environment: Record<string, string> = {},
    workers: number | Pick<WorkerThreadOptions, "count" | "onDemand"> = 0,
  ): Promise<RunningServer> {
    const configFolder = await mkdtemp(join(tmpdir(), "admin-server-"));
    const stop = Promise.withResolvers<void>();
    const server = await Server.create({
      environment: {
        XDG_CONFIG_HOME: configFolder,
        XDG_DATA_HOME: join(configFolder, "data"),
        SERVER_ADMIN: "127.0.0.1:0",
        ...environment,
      },
      log: createLogger({ name: "server", level: "fatal", encoding: "json" }),
      metrics: new Registry(),
      onStopRequest: () => stop.resolve(),
      workers: { ...(typeof workers === "number" ? { count: workers } : workers), logEncoding: "json" },
    });
    await server.engine.load(Buffer.from(JSON.stringify(config)));
    return new RunningServer(server, configFolder, stop.promise);
  }

  /** Port of the admin endpoint. */
  get adminPort(): number {
    const address = this.server.adminAddress;
    return address?.network === "tcp" ? address.port : 0;
  }

  get adminUrl(): string {
    return `http://127.0.0.1:${this.adminPort}`;
  }

  /** Base addresses of all open listeners of the http app, in the order of their opening. */
  get sites(): string[] {
    return this.server.services.ports.list().map((address) => `http://${address}`);
  }

  /** The first address of `sites`. */
  get site(): string {
    return this.sites[0] ?? "";
  }

  /** Sends a request to the admin endpoint. @param body sent as JSON, unless it is a string */
  async admin(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<AdminAnswer> {
    const answer = await ask(`${this.adminUrl}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined || typeof body === "string" ? (body ?? "") : JSON.stringify(body),
    });
    let error = "";
    try {
      error = (JSON.parse(answer.text) as { error?: string } | null)?.error ?? "";
    } catch {
      // not JSON
    }
    return { ...answer, error };
  }

  async close(): Promise<void> {
    await this.server.stop();
    // A renewal that was under way may still write a file.
    await rm(this.configFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A config with one server on a free port. */
export function siteConfig(...routes: unknown[]): unknown {
  return { apps: { http: { servers: { s: { listen: ["127.0.0.1:0"], routes } } } } };
}

/** A route that answers every request with a text. */
export function respond(body: string): unknown {
  return { handle: [{ handler: "static_response", body }] };
}
