import type { Socket } from "node:net";
import { ThreadPort } from "http-engine/thread-port";
import type { Logger } from "lifecycle";
import type { ListenAddress } from "server-core/listen/listen-address";
import type { PortSource } from "server-core/listen/port-source";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";

/** Receives the connections of a listener. */
export interface ConnectionSink {
  /** Takes a paused connection, and finally closes it. */
  take(socket: Socket): void;
}

/** Maximum number of connections that wait before the first config is activated; further ones are closed. */
const maxHeld = 1_000;

/** Listeners by address. Configs with the same address share one. */
export const connectionListeners: ResourceKind<ConnectionListener> = { name: "layer4.listener" };

/**
 * One open address. A reload keeps the listener and only switches the server that gets new connections, so no
 * connection is refused. Open connections stay with their config. They end when no config has the address any more.
 */
export class ConnectionListener implements SharedResource {
  readonly #accepting: ThreadPort;
  readonly #sockets = new Set<Socket>();
  /** Connections that wait for the first `switchTo`, in order of arrival. */
  #held: Socket[] = [];
  /** The server of the running config; undefined before the first one. */
  #sink: ConnectionSink | undefined;

  private constructor(
    address: ListenAddress,
    services: { readonly log: Logger; readonly ports: PortSource },
  ) {
    this.#accepting = new ThreadPort(address, { ...services, paused: true }, (socket) => this.#take(socket));
  }

  /** Opens an address and accepts at once; connections wait for {@link switchTo}. @throws ServerError LISTEN */
  static async open(
    address: ListenAddress,
    services: { readonly log: Logger; readonly ports: PortSource },
  ): Promise<ConnectionListener> {
    const listener = new ConnectionListener(address, services);
    await listener.#accepting.open();
    return listener;
  }

  /** Sends all later connections to `sink`. */
  switchTo(sink: ConnectionSink): void {
    this.#sink = sink;
    for (const socket of this.#held.splice(0)) {
      sink.take(socket);
    }
  }

  /** Stops accepting, and closes open connections. The pool calls this when no config holds the listener. */
  async close(): Promise<void> {
    this.#accepting.close();
    this.#accepting.release();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  /** Remembers a socket until it closes, and passes it to the running config. */
  #take(socket: Socket): void {
    // Read early, because a closed connection has no address, and the log needs it.
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
