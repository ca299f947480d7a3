import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Inherited sockets on which this thread listens, by file descriptor. */
const sockets = new Map<number, GivenSocket>();

/**
 * A listening socket inherited by the process, such as from systemd's socket activation. The socket stays open as long
 * as the thread: the process gets it only once, and a closed descriptor could be reused for any file. While no config
 * listens on the socket, its connections are closed.
 */
class GivenSocket {
  readonly #socket: Server;
  #taker: Server | undefined;

  private constructor() {
    this.#socket = createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
      if (this.#taker === undefined) {
        connection.destroy();
      } else {
        this.#taker.emit("connection", connection);
      }
    });
  }

  static async listen(fd: number): Promise<GivenSocket> {
    const known = sockets.get(fd);
    if (known !== undefined) {
      return known;
    }
    const given = new GivenSocket();
    given.#socket.listen({ fd });
    await once(given.#socket, "listening");
    given.#socket.unref();
    given.#socket.on("error", (error) => given.#taker?.emit("error", error));
    sockets.set(fd, given);
    return given;
  }

  /** Gives the connections to `server`, until `server` closes or another server replaces it. */
  giveTo(server: Server): void {
    this.#taker = server;
    this.#socket.ref();
    server.once("close", () => {
      if (this.#taker === server) {
        this.#taker = undefined;
        this.#socket.unref();
      }
    });
  }
}

/**
 * Passes the connections of an inherited socket to a server. The server itself does not listen, so it has no address.
 * @throws Node's error for a descriptor that is not a listening socket
 */
export async function listenOnGiven(fd: number, server: Server): Promise<void> {
  (await GivenSocket.listen(fd)).giveTo(server);
}
