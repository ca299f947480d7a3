import type { Duplex } from "node:stream";
import type { DetachedConnection } from "./http-stream.ts";

/** Connections of a listener that left HTTP. */
export class OpenTunnels {
  readonly #all = new Map<Duplex, DetachedConnection>();

  get size(): number {
    return this.#all.size;
  }

  add(connection: DetachedConnection): void {
    const { socket } = connection;
    this.#all.set(socket, connection);
    socket.once("close", () => this.#all.delete(socket));
  }

  /** Removes a connection that continues with HTTP/2 instead of a tunnel. */
  delete(socket: Duplex): void {
    this.#all.delete(socket);
  }

  /**
   * Ends all tunnels: calls `leave` if the owner has set it, otherwise cuts the connection. Resolves when the `leave`
   * functions have resolved.
   */
  async close(): Promise<void> {
    const leaving: Promise<void>[] = [];
    for (const { socket, leave } of this.#all.values()) {
      if (leave === undefined) {
        socket.destroy();
      } else {
        leaving.push(leave());
      }
    }
    await Promise.all(leaving);
  }
}
