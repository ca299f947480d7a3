import { createServer, type Server, type Socket } from "node:net";
import type { Logger } from "lifecycle";
import { formatListenAddress, type ListenAddress } from "server-core/listen/listen-address";
import { openPort } from "server-core/listen/open-port";
import type { ListenerHooks, PortSource } from "server-core/listen/port-source";
import type { ProxyProtocolRules } from "./proxy-protocol/proxy-policy.ts";
import { takeProxyHeader } from "./proxy-protocol/take-proxy-header.ts";

/** Connections from the main thread start with a header that names the client. */
const relayRules: ProxyProtocolRules = { timeoutMs: 10_000, policyOf: () => "require" };

/** Options for opening a port in a thread. */
export interface ThreadPortOptions {
  /** Opens ports for all threads, so that threads share them. */
  readonly ports: PortSource;
  /** Log for failures of the listener. */
  readonly log: Logger;
  /** True: sockets are passed on paused, with every byte still unread. Default: false. */
  readonly paused?: boolean;
  /** Called when more threads listen than before; see `ListenerHooks.share`. */
  readonly share?: (part: number) => void;
}

/**
 * An open address of a thread. If the thread that listened for all threads dies, this port listens instead. It also
 * serves connections that waited in the main thread while no thread was alive.
 */
export class ThreadPort {
  readonly #listens: ListenAddress;
  readonly #options: ThreadPortOptions;
  readonly #onSocket: (socket: Socket) => void;
  readonly #server: Server;
  readonly #hooks: ListenerHooks;
  #relays: Server | undefined;
  #port = 0;
  #isClosed = false;

  /** @param onSocket gets each connection; must not throw */
  constructor(address: ListenAddress, options: ThreadPortOptions, onSocket: (socket: Socket) => void) {
    this.#listens = address;
    this.#options = options;
    this.#onSocket = onSocket;
    this.#server = this.#makeServer(onSocket);
    const { share } = options;
    this.#hooks = {
      takeOver: () => this.#takeOver(),
      relayFrom: (path) => this.#relayFrom(path),
      ...(share === undefined ? {} : { share }),
    };
  }

  /** @throws ServerError LISTEN */
  async open(): Promise<void> {
    const { ports, log } = this.#options;
    try {
      const grant = await ports.reserve(this.#listens, this.#hooks);
      if (grant.listen) {
        this.#port = await openPort(this.#server, grant.address, grant);
      }
    } catch (error) {
      this.release();
      throw error;
    }
    this.#server.on("error", (error) => log.error(`accepting on ${this.address}: ${error.message}`));
    ports.opened(this.#listens, this.#port);
  }

  /** The port that was opened; 0 for an address without ports. */
  get port(): number {
    return this.#port;
  }

  /** The address with the port that was opened. */
  get address(): string {
    const address = this.#listens;
    return formatListenAddress(address.network === "tcp" ? { ...address, port: this.#port } : address);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Accepts no more connections. */
  close(): void {
    this.#isClosed = true;
    this.#server.close();
    this.#relays?.close();
  }

  /** Releases the address, so that other listeners can open it. */
  release(): void {
    this.#options.ports.release(this.#listens, this.#hooks);
  }

  #makeServer(onSocket: (socket: Socket) => void): Server {
    // A client may close its side and still wait for the answer, so half-open sockets stay open.
    const pauseOnConnect = this.#options.paused === true;
    return createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect }, onSocket);
  }

  /** Called when the thread that listened for all threads has died. */
  async #takeOver(): Promise<void> {
    if (!this.#isClosed && !this.#server.listening) {
      this.#port = await openPort(this.#server, this.#listens);
    }
  }

  /**
   * Serves connections that waited in the main thread while no worker was alive, each with the address of its client.
   */
  async #relayFrom(path: string): Promise<void> {
    this.#relays?.close();
    this.#relays = undefined;
    if (path !== "" && !this.#isClosed) {
      this.#relays = this.#makeServer((socket) =>
        takeProxyHeader(socket, relayRules, () => this.#handOut(socket)),
      );
      await openPort(this.#relays, { network: "unix", path, mode: 0o600 });
    }
  }

  #handOut(socket: Socket): void {
    if (this.#options.paused !== true) {
      this.#onSocket(socket);
      return;
    }
    // The reader of the header may resume the socket right after this call, so the pause waits for the next tick; no
    // data arrives before it.
    process.nextTick(() => {
      socket.pause();
      this.#onSocket(socket);
    });
  }
}
