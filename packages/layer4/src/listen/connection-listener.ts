import type { Socket } from "node:net";
import { ThreadPort } from "http-engine/thread-port";
import type { Logger } from "lifecycle";
import type { ListenAddress } from "server-core/listen/listen-address";
import type { PortSource } from "server-core/listen/port-source";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Gets the connections of a listener. */
export interface ConnectionSink {
  /** Takes a connection that is paused, and closes it in the end. */
  take(socket: Socket): void;
}

/** Connections that may wait before the first config is switched on; further ones are closed. */
const maxHeld = 1_000;

/** Listeners by address. Configs that have the same address share one. */
export const connectionListeners: ResourceKind<ConnectionListener> = { name: "layer4.listener" };

/**
 * One open address. It outlives configs: a reload changes who gets the next connection, and refuses none. Connections that
 * are open stay with the config that took them. They end when no config has the address any more.
 */
export class ConnectionListener implements SharedResource {
  readonly #accepting: ThreadPort;
  readonly #sockets = new Set<Socket>();
  /** Connections that wait for the first `switchTo`, in the order in which they came. */
  #held: Socket[] = [];
  /** The server of the config that runs; undefined before the first one. */
  #sink: ConnectionSink | undefined;

  private constructor(
    address: ListenAddress,
    services: { readonly log: Logger; readonly ports: PortSource },
  ) {
    this.#accepting = new ThreadPort(address, { ...services, paused: true }, (socket) => this.#take(socket));
  }

  /** Accepts immediately; connections wait for {@link switchTo}. @throws ServerError LISTEN */
  static async open(
    address: ListenAddress,
    services: { readonly log: Logger; readonly ports: PortSource },
  ): Promise<ConnectionListener> {
    const listener = new ConnectionListener(address, services);
    await listener.#accepting.open();
    return listener;
  }

  /** From now on connections go to `sink`. */
  switchTo(sink: ConnectionSink): void {
    this.#sink = sink;
    for (const socket of this.#held.splice(0)) {
      sink.take(socket);
    }
  }

  /** Accepts no more, and ends what is open. The pool calls it when no config holds the listener. */
  async close(): Promise<void> {
    this.#accepting.close();
    this.#accepting.release();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  /** Remembers a socket until it closes, and gives it to the config that runs. */
  #take(socket: Socket): void {
    // A connection that is cut has no addresses any more, and the log wants them.
    void socket.remoteAddress;
    void socket.localAddress;
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
    if (this.#accepting.isClosed) {
      socket.destroy();
    } else if (this.#sink !== undefined) {
      this.#sink.take(socket);
    } else if (this.#held.length < maxHeld) {
      this.#held.push(socket);
    } else {
      socket.destroy();
    }
  }
}
