import type { Socket } from "node:dgram";
import { once } from "node:events";
import type { Connection } from "../connection/connection.ts";
import type { PeerAddress } from "../connection/network-path.ts";
import { bindUdpSocket } from "./bind-udp-socket.ts";
import { ServerEndpoint, type ServerEndpointOptions } from "./server-endpoint.ts";

/**
 * Number of datagrams that Node reads from a socket in one turn. After that many, more may be waiting. Source:
 * uv__udp_recvmsg of libuv
 */
const datagramsPerTurn = 32;
/**
 * Maximum number of consecutive turns that only read while the socket is not empty. They take about as long as one
 * handshake. Clients that repeat their first packets must not block the handshakes of others.
 */
const maxReadingTurns = 3;

/** The longest time that a timer of Node can wait. */
const maxTimerMs = 2 ** 31 - 1;

interface Timer {
  readonly at: number;
  readonly handle: NodeJS.Timeout;
}

export interface UdpServerOptions extends ServerEndpointOptions {
  /**
   * True: other workers, each with a socket of its own, may receive at the same address; the system distributes clients
   * among them. Default: false.
   */
  readonly reusePort?: boolean;
}

/** A QUIC server on one UDP socket: the only part with a socket and a clock. */
export class UdpServer {
  readonly endpoint: ServerEndpoint;
  readonly #socket: Socket;
  readonly #timers = new Map<Connection, Timer>();
  readonly #woken = new Set<Connection>();
  /** Connections whose timer fired. */
  readonly #due = new Set<Connection>();
  #isAdmitting = false;
  /** Datagrams that arrived since the last decision about handshakes, and turns that were used only for reading. */
  #received = 0;
  #readingTurns = 0;
  #closed = false;
  /** Called when the last connection of a draining server is over. */
  #onEmpty: (() => void) | undefined;

  private constructor(socket: Socket, options: ServerEndpointOptions) {
    this.#socket = socket;
    this.endpoint = new ServerEndpoint(options, {
      // An unreachable address is not an error of the socket: the timers of its connection end that connection.
      send: ({ bytes, address }) => {
        if (!this.#closed) {
          // No callback is passed, because Node would need a separate turn of the event loop to call it.
          socket.send(bytes, address.port, address.address);
        }
      },
      setDeadline: (connection, at) => this.#setDeadline(connection, at),
      wake: (connection) => this.#wake(connection),
      received: (connection) => this.#wake(connection),
      newcomer: () => this.#admitSoon(),
    });
    socket.on("message", (datagram, { address, port }) => {
      this.#received++;
      this.receive(datagram, { address, port });
    });
  }

  /** @param port 0: the system chooses one */
  static async listen(address: string, port: number, options: UdpServerOptions): Promise<UdpServer> {
    return UdpServer.on(await bindUdpSocket(address, port, options.reusePort), options);
  }

  /** Creates a server on a socket that is already bound. */
  static on(socket: Socket, options: ServerEndpointOptions): UdpServer {
    const server = new UdpServer(socket, options);
    // Errors of a single datagram arrive here too, for example when an address refuses it.
    socket.on("error", () => {});
    return server;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Handles a datagram that another worker received. The caller must not use the buffer afterwards. */
  receive(datagram: Buffer, address: PeerAddress): void {
    if (!this.#closed) {
      this.endpoint.receive(datagram, address, performance.now());
    }
  }

  /**
   * Refuses new clients from now on. Connections continue until their owner or their client ends them:
   * `Http3ServerSession.goAway` asks clients to leave.
   * @returns resolves when the last connection has ended, or the server is closed
   */
  drain(): Promise<void> {
    this.endpoint.refusesNew = true;
    return new Promise((done) => {
      const earlier = this.#onEmpty;
      this.#onEmpty = () => {
        earlier?.();
        done();
      };
      this.#checkEmpty();
    });
  }

  #checkEmpty(): void {
    if (this.#closed || this.endpoint.size === 0) {
      this.#onEmpty?.();
      this.#onEmpty = undefined;
    }
  }

  /** Ends all connections with a code of the application, and closes the socket. */
  async close(code = 0, reason = ""): Promise<void> {
    if (this.#closed) {
      return;
    }
    this.endpoint.close(code, reason, performance.now());
    this.#closed = true;
    this.#checkEmpty();
    for (const { handle } of this.#timers.values()) {
      clearTimeout(handle);
    }
    this.#timers.clear();
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }

  /** A timer that fires too early checks the deadline again, because most deadlines only move to later times. */
  #setDeadline(connection: Connection, at: number | undefined): void {
    const timer = this.#timers.get(connection);
    if (timer !== undefined && at !== undefined && timer.at <= at) {
      return;
    }
    clearTimeout(timer?.handle);
    if (at === undefined || this.#closed) {
      this.#timers.delete(connection);
      this.#checkEmpty();
      return;
    }
    const wait = Math.min(Math.max(Math.ceil(at - performance.now()), 0), maxTimerMs);
    const handle = setTimeout(() => {
      this.#timers.delete(connection);
      this.#onTimer(connection);
    }, wait);
    this.#timers.set(connection, { at, handle });
  }

  /**
   * The socket is read before expired timers are handled: an acknowledgment in the socket may make a retransmission
   * unnecessary.
   */
  #onTimer(connection: Connection): void {
    if (this.#due.size === 0) {
      setImmediate(() => {
        const due = [...this.#due];
        this.#due.clear();
        for (const each of due) {
          this.endpoint.onTimeout(each, performance.now());
        }
      });
    }
    this.#due.add(connection);
  }

  /** Starts one handshake per turn, after the socket was emptied, because a full socket drops datagrams. */
  #admitSoon(): void {
    if (!this.#isAdmitting) {
      this.#isAdmitting = true;
      setImmediate(() => {
        this.#isAdmitting = false;
        if (!this.#closed && (this.#readsOn() || this.endpoint.admit(performance.now()))) {
          this.#admitSoon();
        }
      });
    }
  }

  #readsOn(): boolean {
    const readsOn = this.#received >= datagramsPerTurn && this.#readingTurns < maxReadingTurns;
    this.#received = 0;
    this.#readingTurns = readsOn ? this.#readingTurns + 1 : 0;
    return readsOn;
  }

  /**
   * Sends the connection's pending data after all waiting datagrams of the socket were read. One acknowledgment then
   * covers several datagrams, and responses to several requests share a datagram.
   */
  #wake(connection: Connection): void {
    if (this.#woken.size === 0) {
      setImmediate(() => {
        const woken = [...this.#woken];
        this.#woken.clear();
        const now = performance.now();
        for (const each of woken) {
          this.endpoint.flush(each, now);
        }
      });
    }
    this.#woken.add(connection);
  }
}
