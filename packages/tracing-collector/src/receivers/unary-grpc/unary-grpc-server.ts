import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { Connection, type ConnectionSettings, type TimeLimits } from "./connection.ts";

export interface UnaryGrpcServerSettings extends ConnectionSettings {
  /** Time in milliseconds after which a client must open a new connection, varied by 10 %; 0, the default: never. */
  readonly maxConnectionAgeMs?: number;
  /** Time for running calls after that, in milliseconds; 0, the default: unlimited. */
  readonly maxConnectionAgeGraceMs?: number;
  readonly timeLimits?: TimeLimits;
}

const defaultTimeLimits: TimeLimits = { beginMs: 10_000, stallMs: 60_000 };
const sweepIntervalMs = 5_000;
/** Interval of TCP keep-alive probes in milliseconds, which detect vanished clients. */
const tcpKeepAliveMs = 60_000;

/**
 * Serves unary gRPC over plain sockets, or over a TLS server with ALPN `h2`. A message needs about half of the
 * processor time of `node:http2` with streams. grpc-js serves all other kinds of calls.
 */
export class UnaryGrpcServer {
  readonly server: Server;
  readonly #settings: UnaryGrpcServerSettings;
  readonly #connections = new Set<Connection>();
  readonly #sweep: NodeJS.Timeout;
  #isStopping = false;

  /** @param server accepts the connections, such as a TLS server; a plain server by default */
  constructor(settings: UnaryGrpcServerSettings, server: Server = createServer({ noDelay: true })) {
    this.#settings = settings;
    this.server = server;
    // A TLS server emits another event for connections after their handshake.
    const event = "setSecureContext" in server ? "secureConnection" : "connection";
    server.on(event, (socket: Socket) => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, tcpKeepAliveMs);
      this.#accept(socket);
    });
    const limits = settings.timeLimits ?? defaultTimeLimits;
    const intervalMs = Math.min(sweepIntervalMs, limits.beginMs / 2);
    this.#sweep = setInterval(() => this.#lookAround(limits), intervalMs).unref();
  }

  /** Accepts no new connections and calls, and lets running calls end. When `signal` is aborted, they are cancelled. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#sweep);
    const cut = () => {
      for (const connection of this.#connections) {
        connection.destroy();
      }
    };
    signal.addEventListener("abort", cut, { once: true });
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.#connections) {
      connection.drain();
    }
    if (signal.aborted) {
      cut();
    }
    await closed;
    signal.removeEventListener("abort", cut);
  }

  #accept(socket: Duplex): void {
    const connection = new Connection(socket, this.#settings);
    this.#connections.add(connection);
    const timers = this.#limitAge(connection);
    socket.once("close", () => {
      this.#connections.delete(connection);
      for (const timer of timers) {
        clearTimeout(timer);
      }
    });
    if (this.#isStopping) {
      connection.drain();
    }
  }

  #limitAge(connection: Connection): NodeJS.Timeout[] {
    const { maxConnectionAgeMs = 0, maxConnectionAgeGraceMs = 0 } = this.#settings;
    if (maxConnectionAgeMs === 0) {
      return [];
    }
    const timers: NodeJS.Timeout[] = [];
    const ageMs = maxConnectionAgeMs * (0.9 + 0.2 * Math.random());
    const leave = setTimeout(() => {
      connection.drain();
      if (maxConnectionAgeGraceMs === 0) {
        return;
      }
      timers.push(setTimeout(() => connection.destroy(), maxConnectionAgeGraceMs).unref());
    }, ageMs);
    timers.push(leave.unref());
    return timers;
  }

  #lookAround(limits: TimeLimits): void {
    for (const connection of this.#connections) {
      connection.breakStalled(limits);
    }
  }
}
