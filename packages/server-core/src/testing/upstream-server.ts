import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** For tests: an HTTP server behind the proxy. */
export class UpstreamServer {
  readonly server: Server;
  readonly #port: number;

  private constructor(server: Server) {
    this.server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  static async start(listener: RequestListener, port = 0): Promise<UpstreamServer> {
    const server = createServer(listener).listen(port, "127.0.0.1");
    await once(server, "listening");
    return new UpstreamServer(server);
  }

  /** Address as `host:port`, for `dial`. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Closes the server immediately, with its connections. */
  async kill(): Promise<void> {
    if (this.server.listening) {
      const closed = once(this.server, "close");
      this.server.close();
      this.server.closeAllConnections();
      await closed;
    }
  }
}

/** An address without a listener. */
export async function deadAddress(): Promise<string> {
  const upstream = await UpstreamServer.start(() => {});
  await upstream.kill();
  return upstream.address;
}
