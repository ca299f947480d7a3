// The API of an engine on a Unix socket, for tests, because few machines have an engine with swarm, TLS or faults.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineClient } from "../engine/engine-client.ts";

export interface SampleContainer {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Addresses by network. */
  readonly networks?: Readonly<Record<string, string>>;
}

export class SampleEngine {
  readonly #folder = mkdtempSync(join(tmpdir(), "engine-"));
  readonly path = join(this.#folder, "engine.sock");
  readonly client = new EngineClient({ text: this.path, isTls: false, options: { socketPath: this.path } });
  readonly #listeners = new Set<ServerResponse>();
  containers: SampleContainer[] = [];
  /** Requested paths. */
  readonly asked: string[] = [];
  #server: Server | undefined;

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://engine");
      this.asked.push(pathname);
      if (pathname === "/events") {
        response.writeHead(200).flushHeaders();
        this.#listeners.add(response);
        return;
      }
      const answer = this.#answer(pathname);
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify(answer ?? { message: "no such container" }));
    });
    this.#server = server;
    server.listen(this.path);
    await once(server, "listening");
  }

  /** Sends an event to all listeners. */
  happen(event: object = { Type: "container", Action: "start" }): void {
    for (const response of this.#listeners) {
      response.write(`${JSON.stringify(event)}\n`);
    }
  }

  /** Closes all connections, and refuses new connections. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#listeners.clear();
    if (server !== undefined) {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    }
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer(path: string): unknown {
    const listed = this.containers.map(({ name, labels, networks = { web: "10.0.0.2" } }) => ({
      ...{ Id: name.padEnd(64, "0"), Names: [`/${name}`], Image: "sample", Labels: labels },
      NetworkSettings: {
        Networks: Object.fromEntries(
          Object.entries(networks).map(([network, address]) => [
            network,
            { NetworkID: `id-${network}`, IPAddress: address },
          ]),
        ),
      },
    }));
    switch (path) {
      case "/containers/json":
        return listed;
      default:
        return listed.find(({ Names: [name] }) => path === `/containers${name}/json`);
    }
  }
}
