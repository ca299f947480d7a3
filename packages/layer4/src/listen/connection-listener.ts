import { createServer, type Server, type Socket } from "node:net";
import { takeProxyHeader } from "http-engine/proxy-protocol/take-proxy-header";
import type { Logger } from "lifecycle";
import { formatListenAddress, type ListenAddress } from "server-core/listen/listen-address";
import { openPort } from "server-core/listen/open-port";
import type { PortSource } from "server-core/listen/port-source";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Gets the connections of a listener. */
export interface ConnectionSink {
  /** Takes a connection that is paused, and closes it in the end. */
  take(socket: Socket): void;
}

/** Connections that came in before the first config was switched on. */
const maxHeld = 1_000;
/** The main thread names each client itself. */
const relayRules = { timeoutMs: 10_000, policyOf: () => "require" as const };

export const connectionListeners: ResourceKind<ConnectionListener> = { name: "layer4.listener" };

interface ListenServices {
  readonly log: Logger;
  readonly ports: PortSource;
}

/**
 * One open address. It outlives configs: a reload changes who gets the next connection, and refuses none. Connections that
 * are open stay with the config that took them. They end when no config has the address any more.
 */
export class ConnectionListener implements SharedResource {
  readonly #address: ListenAddress;
  readonly #services: ListenServices;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #held: Socket[] = [];
  #sink: ConnectionSink | undefined;
  #relays: Server | undefined;
  #port = 0;
  #isClosed = false;

  private constructor(address: ListenAddress, services: ListenServices) {
    this.#address = address;
    this.#services = services;
    this.#server = this.#makeServer((socket) => this.#take(socket));
  }

  /** Accepts at once; connections wait for {@link switchTo}. @throws ServerError LISTEN */
  static async open(address: ListenAddress, services: ListenServices): Promise<ConnectionListener> {
    const listener = new ConnectionListener(address, services);
    const { ports, log } = services;
    try {
      const grant = await ports.reserve(address, {
        takeOver: () => listener.#takeOver(),
        relayFrom: (path) => listener.#relayFrom(path),
      });
      if (grant.listen) {
        listener.#port = await openPort(listener.#server, grant.address, grant);
      }
    } catch (error) {
      ports.release(address);
      throw error;
    }
    listener.#server.on("error", (error) => log.error(`accepting on ${listener.address}: ${error.message}`));
    ports.opened(address, listener.#port);
    return listener;
  }

  /** With the port in fact. */
  get address(): string {
    const address = this.#address;
    return formatListenAddress(address.network === "tcp" ? { ...address, port: this.#port } : address);
  }

  get connectionCount(): number {
    return this.#sockets.size;
  }

  /** From now on connections go to `sink`. */
  switchTo(sink: ConnectionSink): void {
    this.#sink = sink;
    for (const socket of this.#held.splice(0)) {
      sink.take(socket);
    }
  }

  /** Accepts no more, and ends what is open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#server.close();
    this.#relays?.close();
    this.#services.ports.release(this.#address);
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  #makeServer(onSocket: (socket: Socket) => void): Server {
    // A client may end its side and still read.
    return createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, onSocket);
  }

  #take(socket: Socket): void {
    // A connection that is cut has no addresses any more, and the log wants them.
    void socket.remoteAddress;
    void socket.localAddress;
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#isClosed) {
      socket.destroy();
    } else if (this.#sink !== undefined) {
      this.#sink.take(socket);
    } else if (this.#held.length < maxHeld) {
      this.#held.push(socket);
    } else {
      socket.destroy();
    }
  }

  /** The thread that listened for all has died. */
  async #takeOver(): Promise<void> {
    if (!this.#isClosed && !this.#server.listening) {
      this.#port = await openPort(this.#server, this.#address);
    }
  }

  /** Connections that waited in the main thread while no worker lived, each with the address of its client. */
  async #relayFrom(path: string): Promise<void> {
    this.#relays?.close();
    this.#relays = undefined;
    if (path !== "" && !this.#isClosed) {
      this.#relays = this.#makeServer((socket) =>
        takeProxyHeader(socket, relayRules, () => this.#take(socket)),
      );
      await openPort(this.#relays, { network: "unix", path, mode: 0o600 });
    }
  }
}
