// | state | connections |
// |---|---|
// | a door is open | accepted and paused, at most 1,000 |
// | a worker serves | each is relayed over a socket of the file system, with a PROXY protocol header |
// | relay fails | closed, and logged |
// | room closed | all are closed |

import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { proxyProtocolHeader } from "http-engine/proxy-protocol/proxy-protocol-header";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import { formatListenAddress, type ListenAddress } from "server-core/listen/listen-address";
import { openPort } from "server-core/listen/open-port";

/** Maximum number of waiting connections, for all addresses together; further connections are closed. */
const maxWaiting = 1_000;

/** Makes a worker accept relayed connections at a path, for an address that it listens on. */
export interface Relays {
  /** Makes the worker accept connections for `address` on the Unix socket at `path`. */
  open(address: ListenAddress, path: string): Promise<unknown>;
  /** Makes the worker stop accepting relayed connections for this address. */
  close(address: ListenAddress): Promise<unknown>;
}

/** An address in the form of the config, and with its real port. */
export interface RoomAddress {
  readonly configured: ListenAddress;
  readonly bound: ListenAddress;
}

/** A listener of the main thread, open while no worker serves its address. */
interface Door {
  readonly address: ListenAddress;
  readonly server: Server;
  /** Connections that no worker has yet. */
  readonly waiting: Set<Socket>;
}

/**
 * Holds connections while no worker thread is alive. The main thread accepts them, but reads nothing. The next serving
 * worker receives each connection over a private socket, with the address of its client. Node cannot pass a socket to
 * another thread, so the bytes of these connections pass through the main thread until they end.
 */
export class WaitingRoom {
  readonly #log: Logger;
  /** Open listeners. */
  readonly #doors = new Set<Door>();
  /** Connections that a worker serves; their bytes pass through this thread. */
  readonly #relayed = new Set<Socket>();
  #waiting = 0;
  /** True once the server stops: no door opens afterwards. */
  #closed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Starts to accept connections at these addresses. The promise never rejects: an address that cannot be opened stays
   * closed.
   */
  async open(addresses: readonly RoomAddress[]): Promise<void> {
    await Promise.all(addresses.map((address) => this.#openDoor(address)));
  }

  /** Opens one address, unless it is open already. */
  async #openDoor({ configured: address, bound }: RoomAddress): Promise<void> {
    const key = formatListenAddress(address);
    if (this.#closed || [...this.#doors].some((door) => formatListenAddress(door.address) === key)) {
      return;
    }
    const waiting = new Set<Socket>();
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
      if (this.#waiting >= maxWaiting) {
        socket.destroy();
        return;
      }
      this.#waiting++;
      waiting.add(socket);
      socket.on("error", () => socket.destroy());
      socket.once("close", () => this.#leave(door, socket));
    });
    const door: Door = { address, server, waiting };
    this.#doors.add(door);
    try {
      await openPort(server, bound, { reusePort: true });
      server.on("error", (error) => this.#log.error(`accepting on ${key}: ${error.message}`));
    } catch (error) {
      this.#doors.delete(door);
      this.#log.warn(`no connection can wait on ${key}: ${messageOf(error)}`);
    }
    if (this.#closed || !this.#doors.has(door)) {
      server.close();
    }
  }

  /** Removes a connection that a worker took, or that has closed. */
  #leave({ waiting }: Door, socket: Socket): void {
    if (waiting.delete(socket)) {
      this.#waiting--;
    }
  }

  /** Passes the waiting connections to a worker that serves again; later connections go to the worker directly. */
  async release(relays: Relays): Promise<void> {
    const doors = [...this.#doors];
    if (doors.length === 0) {
      return;
    }
    this.#doors.clear();
    for (const { server } of doors) {
      server.close();
    }
    this.#log.info(`${this.#waiting} connections waited for a worker`);
    const folder = await mkdtemp(join(tmpdir(), "server-relay-"));
    try {
      await Promise.all(
        doors.map((door, index) => this.#releaseDoor(door, relays, join(folder, String(index)))),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Passes on the connections of one door. A connection that cannot be passed on is closed. */
  async #releaseDoor(door: Door, relays: Relays, path: string): Promise<void> {
    const { address, waiting } = door;
    try {
      if (waiting.size === 0) {
        return;
      }
      await relays.open(address, path);
      await Promise.all([...waiting].map((socket) => this.#relay(socket, path)));
      await relays.close(address);
    } catch (error) {
      this.#log.warn(
        `connections that waited on ${formatListenAddress(address)} are lost: ${messageOf(error)}`,
      );
    } finally {
      for (const socket of waiting) {
        this.#leave(door, socket);
        if (!this.#relayed.has(socket)) {
          socket.destroy();
        }
      }
    }
  }

  /** Connects a waiting connection to a worker. @param path path of the worker's socket */
  #relay(socket: Socket, path: string): Promise<void> {
    return new Promise((resolve) => {
      const inner = connect({ path, allowHalfOpen: true });
      this.#relayed.add(socket);
      const end = () => {
        this.#relayed.delete(socket);
        socket.destroy();
        inner.destroy();
        resolve();
      };
      inner.once("connect", () => {
        inner.write(
          proxyProtocolHeader("v2", {
            source: socket.remoteAddress ?? "",
            sourcePort: socket.remotePort ?? 0,
            destination: socket.localAddress ?? "",
            destinationPort: socket.localPort ?? 0,
          }),
        );
        inner.pipe(socket);
        socket.pipe(inner);
        resolve();
      });
      inner.on("error", end);
      inner.once("close", end);
      socket.once("close", end);
    });
  }

  /** Closes everything, because the process ends. */
  close(): void {
    this.#closed = true;
    for (const { server, waiting } of this.#doors) {
      server.close();
      for (const socket of waiting) {
        socket.destroy();
      }
    }
    this.#doors.clear();
    for (const socket of this.#relayed) {
      socket.destroy();
    }
  }
}
