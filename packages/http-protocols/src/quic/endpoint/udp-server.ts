import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { isIPv6 } from "node:net";
import type { Connection } from "../connection/connection.ts";
import { ServerEndpoint, type ServerEndpointOptions } from "./server-endpoint.ts";

/** Asked of the system; it may give less. A burst of datagrams waits there while the process works. */
const socketBufferBytes = 2 * 1_048_576;
/** The longest time that a timer of Node can wait. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * @param port 0: the system chooses one
 * @param reusePort more sockets may have the same port: the system spreads clients over them
 * @throws what the system says
 */
export async function bindUdpSocket(address: string, port: number, reusePort = false): Promise<Socket> {
  const family = isIPv6(address) ? 6 : 4;
  const socket = createSocket({
    type: `udp${family}`,
    reusePort,
    // Peers are addresses, never names. Without a look-up, what is sent before `close` leaves at once.
    lookup: (host, _, answer) => answer(null, host, family),
    recvBufferSize: socketBufferBytes,
    sendBufferSize: socketBufferBytes,
  });
  // Without a look-up, both events may come from within `bind`.
  const listening = once(socket, "listening");
  socket.bind(port, address);
  try {
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket;
}

interface Timer {
  readonly at: number;
  readonly handle: NodeJS.Timeout;
}

/** A QUIC server on one UDP socket: the only part with a socket and a clock. */
export class UdpServer {
  readonly endpoint: ServerEndpoint;
  readonly #socket: Socket;
  readonly #timers = new Map<Connection, Timer>();
  readonly #woken = new Set<Connection>();
  #closed = false;

  private constructor(socket: Socket, options: ServerEndpointOptions) {
    this.#socket = socket;
    this.endpoint = new ServerEndpoint(options, {
      // An address that cannot be reached costs nobody else anything: the connection's timers see to it.
      send: ({ bytes, address }) => {
        if (!this.#closed) {
          socket.send(bytes, address.port, address.address, () => {});
        }
      },
      setDeadline: (connection, at) => this.#setDeadline(connection, at),
      wake: (connection) => this.#wake(connection),
    });
    socket.on("message", (datagram, { address, port }) =>
      this.endpoint.receive(datagram, { address, port }, performance.now()),
    );
  }

  /** @param port 0: the system chooses one */
  static async listen(address: string, port: number, options: ServerEndpointOptions): Promise<UdpServer> {
    return UdpServer.on(await bindUdpSocket(address, port), options);
  }

  /** Takes a bound socket over. */
  static on(socket: Socket, options: ServerEndpointOptions): UdpServer {
    const server = new UdpServer(socket, options);
    // Errors of one datagram, as of an address that refuses it, come here too.
    socket.on("error", () => {});
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Ends all connections with a code of the application, and closes the socket. */
  async close(code = 0, reason = ""): Promise<void> {
    this.endpoint.close(code, reason, performance.now());
    this.#closed = true;
    for (const { handle } of this.#timers.values()) {
      clearTimeout(handle);
    }
    this.#timers.clear();
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  /** A timer that fires too early asks for the deadline again: most deadlines only move to later. */
  #setDeadline(connection: Connection, at: number | undefined): void {
    const timer = this.#timers.get(connection);
    if (timer !== undefined && at !== undefined && timer.at <= at) {
      return;
    }
    clearTimeout(timer?.handle);
    if (at === undefined || this.#closed) {
      this.#timers.delete(connection);
      return;
    }
    const wait = Math.min(Math.max(Math.ceil(at - performance.now()), 0), maxTimerMs);
    const handle = setTimeout(() => {
      this.#timers.delete(connection);
      this.endpoint.onTimeout(connection, performance.now());
    }, wait);
    this.#timers.set(connection, { at, handle });
  }

  #wake(connection: Connection): void {
    if (this.#woken.size === 0) {
      queueMicrotask(() => {
        const woken = [...this.#woken];
        this.#woken.clear();
        for (const each of woken) {
          this.endpoint.flush(each, performance.now());
        }
      });
    }
    this.#woken.add(connection);
  }
}
