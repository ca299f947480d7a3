import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** For tests: an HTTP proxy that makes tunnels. */
export class ConnectProxy {
  /** `host:port`. */
  readonly address: string;
  /** Targets that tunnels were asked to, in order, with the credentials that were shown. */
  readonly tunnels: string[];
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, tunnels: string[], sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.tunnels = tunnels;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @param refusal the head it answers with, in place of a tunnel */
  static async start(refusal = ""): Promise<ConnectProxy> {
    const tunnels: string[] = [];
    const sockets = new Set<Socket>();
    const keep = (socket: Socket): void => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
    };
    const server = createServer();
    server.on("connection", keep);
    server.on("connect", ({ url = "", headers }, socket: Socket) => {
      tunnels.push([url, headers["proxy-authorization"] ?? ""].filter(Boolean).join(" "));
      if (refusal !== "") {
        socket.end(refusal);
        return;
      }
      const { hostname, port } = new URL(`http://${url}`);
      const upstream = connect(Number(port), hostname.replace(/^\[|\]$/g, ""), () => {
        socket.write("HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n");
        socket.pipe(upstream).pipe(socket);
      });
      keep(upstream);
      upstream.once("close", () => socket.destroy());
      socket.once("close", () => upstream.destroy());
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new ConnectProxy(server, tunnels, sockets);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }
}
