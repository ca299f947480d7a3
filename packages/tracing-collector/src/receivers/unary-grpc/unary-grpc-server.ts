import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Connection, type ConnectionSettings } from "./connection.ts";

export interface UnaryGrpcServerSettings extends ConnectionSettings {
  /** A connection is asked to leave after so long, spread by a tenth; 0, the default: never. */
  readonly maxConnectionAgeMs?: number;
  /** What calls under way then have to end; 0, the default: all the time they need. */
  readonly maxConnectionAgeGraceMs?: number;
}

/** Time that a client has to say that it speaks HTTP/2, and to go on with a message. */
const beginTimeoutMs = 10_000;
const stallTimeoutMs = 60_000;
const sweepIntervalMs = 5_000;
/** Finds clients that are gone without a word. */
const tcpKeepAliveMs = 60_000;

/**
 * Serves unary gRPC over plain sockets, or those of a TLS server with ALPN `h2`: about half of the processor time per
 * message of what goes through `node:http2` and streams. Everything else of gRPC is left to grpc-js.
 */
export class UnaryGrpcServer {
  readonly server: Server;
  readonly #settings: UnaryGrpcServerSettings;
  readonly #connections = new Map<Connection, number>();
  readonly #sweep: NodeJS.Timeout;
  #isStopping = false;

  /** @param server one whose connections are taken, such as a TLS server; a plain one by default */
  constructor(settings: UnaryGrpcServerSettings, server: Server = createServer({ noDelay: true })) {
    this.#settings = settings;
    this.server = server;
    // A TLS server has its own event for connections whose handshake is done.
    const event = "setSecureContext" in server ? "secureConnection" : "connection";
    server.on(event, (socket: Socket) => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, tcpKeepAliveMs);
      this.#accept(socket);
    });
    this.#sweep = setInterval(() => this.#lookAround(), sweepIntervalMs).unref();
  }

  /** Takes no new connections and calls, lets those under way end, and cuts them when `signal` is aborted. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#sweep);
    const cut = () => {
      for (const connection of this.#connections.keys()) connection.destroy();
    };
    signal.addEventListener("abort", cut, { once: true });
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.#connections.keys()) connection.drain();
    if (signal.aborted) cut();
    await closed;
    signal.removeEventListener("abort", cut);
  }

  #accept(socket: Duplex): void {
    const connection = new Connection(socket, this.#settings);
    this.#connections.set(connection, performance.now());
    const timers = this.#limitAge(connection);
    socket.once("close", () => {
      this.#connections.delete(connection);
      for (const timer of timers) clearTimeout(timer);
    });
    if (this.#isStopping) connection.drain();
  }

  #limitAge(connection: Connection): NodeJS.Timeout[] {
    const { maxConnectionAgeMs = 0, maxConnectionAgeGraceMs = 0 } = this.#settings;
    if (maxConnectionAgeMs === 0) return [];
    const timers: NodeJS.Timeout[] = [];
    const ageMs = maxConnectionAgeMs * (0.9 + 0.2 * Math.random());
    const leave = setTimeout(() => {
      connection.drain();
      if (maxConnectionAgeGraceMs === 0) return;
      timers.push(setTimeout(() => connection.destroy(), maxConnectionAgeGraceMs).unref());
    }, ageMs);
    timers.push(leave.unref());
    return timers;
  }

  #lookAround(): void {
    const now = performance.now();
    for (const [connection, sinceMs] of this.#connections) {
      if (!connection.hasBegun && now - sinceMs > beginTimeoutMs) connection.destroy();
      else connection.breakStalled(stallTimeoutMs);
    }
  }
}
