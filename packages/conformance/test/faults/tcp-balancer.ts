import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A balancer that handles only connections: each goes to the next backend, even if that one is down, and stays with it.
 * A connection to a backend that is down is reset.
 */
export class TcpBalancer {
  /** host:port of each backend; existing connections stay where they are. */
  readonly backends: string[];
  readonly #server: Server;
  readonly #clients = new Set<Socket>();
  #turn = 0;

  constructor(...backends: string[]) {
    this.backends = backends;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => this.#accept(near));
  }

  /** Number of open connections of clients. */
  get connections(): number {
    return this.#clients.size;
  }

  /** @returns host:port for clients */
  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets all connections. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const client of this.#clients) {
      client.resetAndDestroy();
    }
    await closed;
  }

  #accept(near: Socket): void {
    const backend = this.backends[this.#turn++ % this.backends.length] ?? "";
    const portAt = backend.lastIndexOf(":");
    const far = connect({
      host: backend.slice(0, portAt),
      port: Number(backend.slice(portAt + 1)),
      allowHalfOpen: true,
      noDelay: true,
    });
    this.#clients.add(near);
    near.on("close", () => this.#clients.delete(near));
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.on("error", () => {});
      // A reset on one side resets the other; a side that closed normally has already ended its half.
      end.on("close", (hadError) => {
        if (hadError || !end.readableEnded) {
          other.resetAndDestroy();
        }
      });
      end.pipe(other);
    }
  }
}
