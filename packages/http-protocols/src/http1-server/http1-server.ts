import type { Server, Socket } from "node:net";
import type { ConnectionOwner, OwnedConnection, ServerLimits } from "./connection-owner.ts";
import type { Http1Request } from "./http1-request.ts";
import type { Http1Response } from "./http1-response.ts";
import { ServerConnection } from "./server-connection.ts";

/** Answers requests. It may answer later; what it throws is answered with 500. */
export type Http1Handler = (request: Http1Request, response: Http1Response) => void;

/** Limits and handler of a server. */
export interface Http1ServerOptions {
  readonly limits: ServerLimits;
  readonly handler: Http1Handler;
  /** Called with errors that the handler throws. */
  readonly onFault: (error: unknown) => void;
}

/** Interval of checking connections for time limits, in milliseconds. */
const checkIntervalMs = 500;

/** Time in milliseconds for idle clients to send one more request during a stop, whose response ends the connection. */
const drainMs = 250;
/** Interval in milliseconds of closing idle connections after {@link drainMs}. */
const drainIntervalMs = 50;

/** Header lines of a response whose connection stays open. `Keep-Alive` names the idle time limit in seconds. */
function stayLinesFor(idleTimeoutMs: number): string {
  const seconds = Math.floor(idleTimeoutMs / 1_000);
  return `Connection: keep-alive\r\n${seconds > 0 ? `Keep-Alive: timeout=${seconds}\r\n` : ""}`;
}

/**
 * Serves HTTP/1 on a server of TCP or TLS. A connection costs a fraction of one of `node:http`: a response is complete
 * when it is sent, so one write sends it, and no stream is made for a body.
 */
export class Http1Server implements ConnectionOwner {
  readonly limits: ServerLimits;
  readonly stayLines: string;
  readonly #listener: Server;
  readonly #handler: Http1Handler;
  readonly #onFault: (error: unknown) => void;
  readonly #connections = new Set<OwnedConnection>();
  readonly #timer: NodeJS.Timeout;
  #isStopping = false;

  /** @param listener accepts connections and performs handshakes. It must allow half-open connections. */
  constructor(listener: Server, { limits, handler, onFault }: Http1ServerOptions) {
    this.limits = limits;
    this.stayLines = stayLinesFor(limits.idleTimeoutMs);
    this.#listener = listener;
    this.#handler = handler;
    this.#onFault = onFault;
    // A TLS server emits another event for connections after their handshake.
    const event = "setSecureContext" in listener ? "secureConnection" : "connection";
    listener.on(event, (socket: Socket) => {
      const connection = new ServerConnection(socket, this, Date.now());
      this.#connections.add(connection);
    });
    this.#timer = setInterval(() => this.#checkTimeouts(), checkIntervalMs).unref();
  }

  get accepting(): boolean {
    return !this.#isStopping;
  }

  take(request: Http1Request, response: Http1Response): void {
    this.#handler(request, response);
  }

  fault(error: unknown): void {
    this.#onFault(error);
  }

  closed(connection: OwnedConnection): void {
    this.#connections.delete(connection);
  }

  /**
   * Accepts no more connections, and lets running requests end. Each response tells its client to reconnect elsewhere.
   * Idle connections stay for a moment: their clients may be about to send, and would lose the request. When `signal` is
   * aborted, connections are cut.
   */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopping = true;
    const cut = (): void => {
      for (const connection of this.#connections) {
        connection.destroy();
      }
    };
    signal.addEventListener("abort", cut, { once: true });
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    const since = Date.now();
    const drain = setInterval(() => {
      if (Date.now() - since >= drainMs) {
        this.#closeIdle();
      }
    }, drainIntervalMs);
    if (signal.aborted) {
      cut();
    }
    await closed;
    signal.removeEventListener("abort", cut);
    clearInterval(drain);
    clearInterval(this.#timer);
  }

  #closeIdle(): void {
    for (const connection of this.#connections) {
      connection.closeWhenIdle();
    }
  }

  #checkTimeouts(): void {
    const now = Date.now();
    for (const connection of this.#connections) {
      connection.checkTimeouts(now);
    }
  }
}
