import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Options of a {@link SocksProxy}. */
export interface SocksProxyOptions {
  /** Required `user:password`; undefined: no credentials are required. */
  readonly credentials?: string;
  /** Code of the reply instead of a tunnel: RFC 1928. */
  readonly refusal?: number;
}

/** Reads exact numbers of bytes from a socket. */
class ByteSource {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async take(length: number): Promise<Buffer> {
    for (;;) {
      const bytes = this.#socket.read(length) as Buffer | null;
      if (bytes !== null) {
        return bytes;
      }
      await once(this.#socket, "readable");
    }
  }
}

/** For tests: a proxy of SOCKS 5. Source: RFC 1928, RFC 1929 */
export class SocksProxy {
  /** Address as `host:port`. */
  readonly address: string;
  /** Targets of the requested tunnels, in order. */
  readonly tunnels: string[] = [];
  readonly #options: SocksProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, options: SocksProxyOptions) {
    this.#server = server;
    this.#options = options;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("connection", (socket) => {
      this.#keep(socket);
      this.#serve(socket).catch(() => socket.destroy());
    });
  }

  static async start(options: SocksProxyOptions = {}): Promise<SocksProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new SocksProxy(server, options);
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) {
      socket.destroy();
    }
  }

  async #serve(socket: Socket): Promise<void> {
    const source = new ByteSource(socket);
    const { credentials, refusal } = this.#options;
    const [, count = 0] = await source.take(2);
    const offered = await source.take(count);
    const wanted = credentials === undefined ? 0 : 2;
    if (!offered.includes(wanted)) {
      socket.end(Buffer.from([5, 255]));
      return;
    }
    socket.write(Buffer.from([5, wanted]));
    if (credentials !== undefined) {
      const [, userLength = 0] = await source.take(2);
      const user = await source.take(userLength);
      const [passwordLength = 0] = await source.take(1);
      const good = `${user}:${await source.take(passwordLength)}` === credentials;
      socket.write(Buffer.from([1, good ? 0 : 1]));
    }
    const type = (await source.take(4))[3];
    const nameLength = type === 3 ? ((await source.take(1))[0] ?? 0) : 0;
    const host = await source.take(type === 1 ? 4 : type === 4 ? 16 : nameLength);
    const port = (await source.take(2)).readUInt16BE();
    const shown = type === 1 ? host.join(".") : type === 4 ? host.toString("hex") : host.toString();
    this.tunnels.push(`${shown}:${port}`);
    if (refusal !== undefined) {
      socket.end(Buffer.from([5, refusal, 0, 1, 0, 0, 0, 0, 0, 0]));
      return;
    }
    const upstream = connect(port, type === 1 ? shown : "127.0.0.1");
    this.#keep(upstream);
    await once(upstream, "connect");
    // The answer has a name as address, so that its length must be read.
    socket.write(Buffer.concat([Buffer.from([5, 0, 0, 3, 4]), Buffer.from("here"), Buffer.from([0, 1])]));
    socket.pipe(upstream).pipe(socket);
    upstream.once("close", () => socket.destroy());
    socket.once("close", () => upstream.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => this.#sockets.delete(socket));
  }
}
