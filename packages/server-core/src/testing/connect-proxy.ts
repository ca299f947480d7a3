import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";

/** For tests: an HTTP proxy for tunnels. */
export class ConnectProxy {
  /** Address as `host:port`. */
  readonly address: string;
  /** Targets of the requested tunnels, in order, with the credentials. */
  readonly tunnels: string[];
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, tunnels: string[], sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.tunnels = tunnels;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** @param refusal head of the answer instead of a tunnel */
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
