import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Sockets that the process was given and this thread listens on, by file descriptor. */
const sockets = new Map<number, GivenSocket>();

/**
 * A listening socket that the process was given, as systemd's socket activation does. It stays open as long as
 * the thread: the process gets it only once, and a closed number could be reused for any file. Connections are
 * closed while no config listens on it.
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

  /** From now on `server` gets the connections, until it closes or another one takes over. */
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
 * Gives the connections of such a socket to a server. The server itself does not listen, so it has no address.
 * @throws what node throws for a descriptor that is no listening socket
 */
export async function listenOnGiven(fd: number, server: Server): Promise<void> {
  (await GivenSocket.listen(fd)).giveTo(server);
}
