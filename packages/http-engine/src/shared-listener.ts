import type { Socket } from "node:net";
import type { TlsAcceptor } from "certificates/tls/connection/tls-acceptor";
import type { Logger } from "lifecycle";
import type { ListenAddress } from "server-core/listen/listen-address";
import type { PortSource } from "server-core/listen/port-source";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import type { ConnectionLimits } from "./connection-limits.ts";
import { type ConnectionWrapper, type ListenerWrappers, wrapConnection } from "./connection-wrapper.ts";
import { type ConnectionOwner, H1Connection } from "./h1/h1-connection.ts";
import type { H2Owner } from "./h2/h2-connection.ts";
import type { DetachedConnection, HttpStream } from "./http-stream.ts";
import { OpenTunnels } from "./open-tunnels.ts";
import { plainRedirects } from "./plain-redirects.ts";
import { copyPeer, takeProxyHeader } from "./proxy-protocol/take-proxy-header.ts";
import { ThreadPort } from "./thread-port.ts";

/** Reads both addresses, so that Node caches them: the log needs them after the connection was cut. */
function keepPeer(socket: Socket): void {
  void socket.remoteAddress;
  void socket.localAddress;
}

/** Receives the requests of a listener. */
export interface RequestSink {
  /** Time limits and sizes in force now. A reload replaces them. */
  readonly limits: ConnectionLimits;
  /** True when safe requests may run before the handshake of HTTP/3 is done; absent: they may not. */
  readonly allowsEarlyData?: boolean;
  /** Readers of bytes before HTTP and TLS. */
  readonly wrappers?: ListenerWrappers;
  /** Takes a request whose head is complete. */
  take(stream: HttpStream): void;
}

/** Maximum number of requests that may wait for the first config. Further requests are refused. */
const maxHeldRequests = 1_000;
/** Interval of checking connections for timeouts, in milliseconds. */
const checkIntervalMs = 500;

/** The listener of each address. A new config reuses an open port. */
export const httpListeners: ResourceKind<SharedListener> = { name: "http.listener" };

/** An open connection, whatever version of HTTP it speaks. */
interface ListenedConnection {
  readonly socket: Socket;
  /** Closes now if no request is running, otherwise after the last response. */
  closeWhenIdle(): void;
  /** Asks the client to reconnect after the running response. @param now in milliseconds since 1970 */
  leaveAfterResponse(now: number): void;
  /** Ends everything that exceeds its time limit. @param now in milliseconds since 1970 */
  checkTimeouts(now: number): void;
}

/** Settings for the connections of an address. */
interface ListenOptions {
  /** Time limits and sizes of the first connections; later connections get those of the sink. */
  readonly limits: ConnectionLimits;
  /** Log for failures of the listener. */
  readonly log: Logger;
  /** Opens ports for all threads, so that threads share them. */
  readonly ports: PortSource;
  /**
   * Performs the handshakes of the first connections; undefined: no TLS. A new config passes its own acceptor to
   * `switchTo`.
   */
  readonly tls?: TlsAcceptor | undefined;
  /** True: HTTP/2 is served without TLS (`h2c`), recognized by its preface. Default: false. */
  readonly plainHttp2?: boolean | undefined;
  /** Serves HTTP/2 on a socket. @param now in milliseconds since 1970 */
  readonly serveHttp2: (socket: Socket, owner: H2Owner, now: number) => ListenedConnection;
}

/**
 * One open address. The address outlives configs: a reload only changes the receiver of the next request, even on open
 * connections. A reload therefore closes no connection and refuses none.
 */
export class SharedListener implements SharedResource, ConnectionOwner, H2Owner {
  readonly #accepting: ThreadPort;
  readonly #log: Logger;
  readonly #connections = new Set<ListenedConnection>();
  /** Connections whose TLS handshake is running. */
  readonly #shaking = new Set<Socket>();
  /** HTTP/1 connections that left HTTP. */
  readonly #tunnels = new OpenTunnels();
  /** HTTP/2 streams that left HTTP, while their connection stays. */
  readonly #streamTunnels = new OpenTunnels();
  readonly #timer: NodeJS.Timeout;
  #held: HttpStream[] = [];
  #sink: RequestSink | undefined;
  #firstLimits: ConnectionLimits;
  /** Performs the handshakes; undefined without TLS. */
  #tls: TlsAcceptor | undefined;
  /** True: HTTP/2 is served without TLS too. */
  #plainHttp2 = false;
  readonly #makeHttp2: ListenOptions["serveHttp2"];

  private constructor(address: ListenAddress, { limits, ports, log, serveHttp2 }: ListenOptions) {
    this.#firstLimits = limits;
    this.#log = log;
    this.#makeHttp2 = serveHttp2;
    const share = (part: number) => this.#share(part);
    this.#accepting = new ThreadPort(address, { ports, log, share }, (socket) => {
      try {
        this.#connect(socket);
      } catch (error) {
        socket.destroy();
        this.fault(error);
      }
    });
    this.#timer = setInterval(() => this.#checkTimeouts(), checkIntervalMs);
    this.#timer.unref();
  }

  /**
   * Connections are accepted immediately; their requests wait for {@link switchTo}.
   * @throws ServerError LISTEN
   */
  static async open(address: ListenAddress, options: ListenOptions): Promise<SharedListener> {
    const listener = new SharedListener(address, options);
    listener.#tls = options.tls;
    listener.#plainHttp2 = options.plainHttp2 === true;
    try {
      await listener.#accepting.open();
    } catch (error) {
      clearInterval(listener.#timer);
      throw error;
    }
    return listener;
  }

  /** The port that was opened; 0 for an address without ports. */
  get port(): number {
    return this.#accepting.port;
  }

  /** The address with the port that was opened. */
  get address(): string {
    return this.#accepting.address;
  }

  /** Open connections, including tunnels and running handshakes. */
  get connectionCount(): number {
    return this.#connections.size + this.#tunnels.size + this.#shaking.size;
  }

  get limits(): ConnectionLimits {
    return this.#sink?.limits ?? this.#firstLimits;
  }

  /**
   * From now on requests go to `sink`, and new connections use `tls`, or no TLS when it is undefined.
   * @param plainHttp2 true: HTTP/2 is served without TLS too
   */
  switchTo(sink: RequestSink, tls?: TlsAcceptor, plainHttp2 = false): void {
    this.#sink = sink;
    this.#tls = tls;
    this.#plainHttp2 = plainHttp2;
    for (const stream of this.#held.splice(0)) {
      sink.take(stream);
    }
  }

  /** False once the listener is closed: the next response of each connection is its last. */
  get accepting(): boolean {
    return !this.#accepting.isClosed;
  }

  /**
   * Accepts no more connections. Running responses end; idle connections and tunnels close now. Resolves when tunnels
   * have ended.
   */
  async close(): Promise<void> {
    this.#accepting.close();
    clearInterval(this.#timer);
    for (const connection of this.#connections) {
      if (this.#sink === undefined) {
        connection.socket.destroy(); // the config never ran, so waiting requests get no answer
      } else {
        connection.closeWhenIdle();
      }
    }
    for (const socket of this.#shaking) {
      socket.destroy();
    }
    this.#accepting.release();
    await Promise.all([this.#tunnels.close(), this.#streamTunnels.close()]);
  }

  /**
   * Called when more threads listen than before: the clients of some connections are asked to reconnect. Tunnels stay.
   */
  #share(part: number): void {
    let owed = 0;
    for (const connection of this.#connections) {
      owed += part;
      if (owed >= 1) {
        owed -= 1;
        connection.leaveAfterResponse(Date.now());
      }
    }
  }

  // Called by connections

  take(stream: HttpStream): void {
    if (this.#sink !== undefined) {
      this.#sink.take(stream);
    } else if (this.#held.length < maxHeldRequests) {
      this.#held.push(stream);
    } else {
      stream.destroy();
    }
  }

  takeHttp2(socket: Socket, bytes: Buffer): boolean {
    const isTls = "encrypted" in socket;
    if (isTls || !this.#plainHttp2) {
      return false;
    }
    const copy = Buffer.from(bytes);
    // Runs after the HTTP/1 connection has released the socket.
    process.nextTick(() => {
      this.#tunnels.delete(socket);
      if (!socket.destroyed) {
        socket.unshift(copy);
        this.#serveHttp2(socket);
      }
    });
    return true;
  }

  fault(error: unknown): void {
    this.#log.error({ err: error }, `${this.address}: a connection was cut for a fault of the server`);
  }

  closed(connection: ListenedConnection): void {
    this.#connections.delete(connection);
  }

  h2Closed(connection: ListenedConnection): void {
    this.#connections.delete(connection);
  }

  detached(connection: H1Connection, tunnel: DetachedConnection): void {
    this.#connections.delete(connection);
    this.#tunnels.add(tunnel);
  }

  tunnelOpened(tunnel: DetachedConnection): void {
    this.#streamTunnels.add(tunnel);
  }

  #connect(socket: Socket): void {
    const { keepAliveMs, keepAliveIntervalMs, keepAliveCount } = this.limits;
    if (keepAliveMs > 0) {
      socket.setKeepAlive(true, keepAliveMs, keepAliveIntervalMs, keepAliveCount);
    }
    const { proxyProtocol, beforeTls = [] } = this.#sink?.wrappers ?? {};
    if (proxyProtocol === undefined) {
      this.#through(beforeTls, socket, (passed) => this.#serve(passed));
      return;
    }
    this.#shaking.add(socket);
    socket.once("close", () => this.#shaking.delete(socket));
    takeProxyHeader(socket, proxyProtocol, () => {
      this.#shaking.delete(socket);
      if (this.#accepting.isClosed) {
        socket.destroy();
      } else {
        this.#through(beforeTls, socket, (passed) => this.#serve(passed));
      }
    });
  }

  /** Passes a connection through the wrapper modules, and the resulting socket to `serve`. */
  #through(layers: readonly ConnectionWrapper[], socket: Socket, serve: (socket: Socket) => void): void {
    if (layers.length === 0) {
      serve(socket);
      return;
    }
    this.#shaking.add(socket);
    socket.once("close", () => this.#shaking.delete(socket));
    // The previous owner may resume the socket right after this call, so the pause waits for the next tick; no data
    // arrives before it.
    process.nextTick(() => {
      try {
        socket.pause();
        wrapConnection(socket, layers, (passed) => this.#passed(socket, passed, serve));
      } catch (error) {
        socket.destroy();
        this.fault(error);
      }
    });
  }

  /** Serves the socket that the wrapper modules returned for a connection. */
  #passed(socket: Socket, passed: Socket, serve: (socket: Socket) => void): void {
    this.#shaking.delete(socket);
    if (this.#accepting.isClosed) {
      passed.destroy();
      return;
    }
    serve(passed);
    passed.resume();
  }

  #serve(socket: Socket): void {
    keepPeer(socket);
    if (this.#tls === undefined) {
      this.#serveRequests(socket);
      return;
    }
    this.#shaking.add(socket);
    socket.once("close", () => this.#shaking.delete(socket));
    const { redirectBytes } = this.#sink?.wrappers ?? {};
    const redirect =
      redirectBytes === undefined ? undefined : () => this.#redirectPlain(socket, redirectBytes);
    this.#tls.accept(socket, redirect, (secure) => {
      this.#shaking.delete(socket);
      copyPeer(socket, secure);
      keepPeer(secure);
      if (this.#accepting.isClosed) {
        secure.destroy();
      } else {
        this.#serveRequests(secure);
      }
    });
  }

  #serveRequests(socket: Socket): void {
    this.#through(this.#sink?.wrappers?.behindTls ?? [], socket, (passed) => {
      if ("alpnProtocol" in passed && passed.alpnProtocol === "h2") {
        this.#serveHttp2(passed);
      } else {
        this.#connections.add(new H1Connection(passed, this, Date.now()));
      }
    });
  }

  #redirectPlain(socket: Socket, maxHeaderBytes: number): void {
    this.#shaking.delete(socket);
    this.#connections.add(new H1Connection(socket, plainRedirects(maxHeaderBytes, this), Date.now()));
  }

  #serveHttp2(socket: Socket): void {
    this.#connections.add(this.#makeHttp2(socket, this, Date.now()));
  }

  #checkTimeouts(): void {
    const now = Date.now();
    for (const connection of this.#connections) {
      try {
        connection.checkTimeouts(now);
      } catch (error) {
        connection.socket.destroy();
        this.fault(error);
      }
    }
  }
}
