import type { LookupFunction, NetConnectOpts, Socket } from "node:net";
import { connect, isIP } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import type { ClientCertificate, ClientIdentity } from "certificates/tls/certificates/client-certificate";
import { keepOwner, runForNobody } from "server-core/threads/error-owner";
import type { DialAddress } from "./dial-address.ts";
import { askForTunnel, type ProxyHop } from "./proxy-hop.ts";
import { type ReadBuffer, setReadBuffer } from "./read-buffer.ts";
import { handOnReceivedFirst } from "./received-first.ts";
import { watchCertificate } from "./refused-certificate.ts";

/** Options for connections to upstreams. */
export interface SocketOptions {
  /** Maximum number of milliseconds for the dial, over all addresses; 0: no limit. A slower dial fails. */
  readonly dialTimeoutMs: number;
  /**
   * Milliseconds until the next address is tried in parallel; negative: the next address is tried only after the first
   * has failed.
   */
  readonly fallbackDelayMs: number;
  /** Milliseconds between TCP keep-alive probes; 0: no probes. */
  readonly probeIntervalMs: number;
  /** Address of this machine from which to dial; undefined: any address. */
  readonly localAddress: string | undefined;
  /** Resolves names. */
  readonly lookup: LookupFunction;
  /** High-water mark of the socket in bytes, above which `write` returns false; 0: Node's default. */
  readonly writeBufferBytes: number;
  /** True when the upstream may end its side while this side still sends. Default: false. */
  readonly allowHalfOpen?: boolean;
}

/** TLS of one connection. */
export interface TlsOfSocket {
  /** Trust, certificate and versions. */
  readonly options: ConnectionOptions;
  /** Client certificate that replaces the certificate in `options`. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Server name for SNI and for the certificate check. */
  readonly serverName: string;
  /** Maximum number of milliseconds for the handshake; 0: no limit. */
  readonly handshakeTimeoutMs: number;
  /** ALPN protocols that are offered, in order of preference. */
  readonly alpn: readonly string[];
  /** True when the upstream may renegotiate, as some servers do to request a certificate. */
  readonly renegotiation: boolean;
}

/** Bytes that are sent first: a PROXY protocol header. */
export type Preface = Buffer | undefined;

/** Longer than any dial: the limit of `setTimeout` in milliseconds. */
const longestDelayMs = 2 ** 31 - 1;

/** Receives the socket or the error; never both. */
type Done = (error: Error | undefined, socket: Socket | undefined) => void;

/** Layers of a connection, apart from its address. */
export interface SocketWay {
  /** TLS to the upstream; undefined: no TLS. */
  readonly tls?: TlsOfSocket | undefined;
  /** Bytes that are written when the connection is open, before TLS. */
  readonly preface?: Preface;
  /** Read buffer, allowed only without TLS and proxy: the socket then emits no `data`. */
  readonly buffer?: ReadBuffer | undefined;
  /**
   * The proxy that is dialed; undefined: no proxy. Lookup, local address and time limit then apply to the connection to
   * the proxy.
   */
  readonly hop?: ProxyHop | undefined;
}

/**
 * Opens a connection, through a proxy if given, and with TLS if given.
 * @param done called once, with a socket that has none of this module's listeners, or with the error. Data that arrives
 * before is delivered later
 * @returns a function that cancels; `done` is not called afterwards
 */
export function openSocket(
  dial: DialAddress,
  options: SocketOptions,
  way: SocketWay,
  done: Done,
): () => void {
  const opening = new SocketOpening(dial, options, way, done);
  opening.begin();
  return () => opening.giveUp();
}

/**
 * A connection while it is set up: dialed, tunneled through a proxy, and secured with TLS.
 * | Step | Time limit | Next |
 * |---|---|---|
 * | connect to the upstream, or to the proxy | `dialTimeoutMs` | the proxy's TLS, the tunnel, or the preface |
 * | TLS with the proxy | within `dialTimeoutMs` too | the tunnel |
 * | CONNECT or SOCKS | within `dialTimeoutMs` too | the preface |
 * | PROXY header (preface) | | TLS with the upstream, or done |
 * | TLS with the upstream | `handshakeTimeoutMs` | done |
 *
 * Each step may fail. `giveUp` ends any step without a callback.
 */
class SocketOpening {
  readonly #dial: DialAddress;
  readonly #options: SocketOptions;
  readonly #way: SocketWay;
  /** The proxy to dial; always undefined for a unix socket. */
  readonly #proxy: ProxyHop | undefined;
  /** The caller's `done`, bound to the caller's async context. */
  readonly #told: Done;
  /** The outermost layer at present: TCP, TLS with the proxy, or TLS with the upstream. */
  #current: Socket;
  /** Timer of the current step. */
  #timer: NodeJS.Timeout | undefined;
  /** True once `done` was called, or the caller canceled. */
  #settled = false;

  constructor(dial: DialAddress, options: SocketOptions, way: SocketWay, done: Done) {
    this.#dial = dial;
    this.#options = options;
    this.#way = way;
    this.#proxy = dial.path === "" ? way.hop : undefined;
    const { buffer } = way;
    const direct = buffer !== undefined && way.tls === undefined && this.#proxy === undefined;
    const readInto = direct ? buffer : undefined;
    this.#current = runForNobody(() => connect(connectOptions(dial, options, this.#proxy, readInto)));
    this.#told = keepOwner(done);
    if (readInto !== undefined) {
      setReadBuffer(this.#current, readInto);
    }
  }

  /** Starts the first step. It is called once. */
  begin(): void {
    const socket = this.#current;
    this.#limit(this.#options.dialTimeoutMs, "no connection");
    socket.on("error", this.#settle);
    socket.on("close", this.#onClose);
    socket.once("connect", () => {
      const proxy = this.#proxy;
      if (proxy === undefined) {
        this.#proceed();
      } else if (proxy.secure) {
        this.#shakeWithProxy(proxy);
      } else {
        askForTunnel(socket, proxy, this.#dial, this.#onTunnel);
      }
    });
  }

  /** Closes the socket without a callback. */
  giveUp(): void {
    if (!this.#settled) {
      this.#settled = true;
      clearTimeout(this.#timer);
      this.#current.on("error", () => {});
      this.#current.destroy();
    }
  }

  /** Arrow functions, because listeners are removed by identity. */
  readonly #settle = (error: Error | undefined): void => {
    if (this.#settled) {
      return;
    }
    this.#settled = true;
    clearTimeout(this.#timer);
    if (error !== undefined) {
      this.#current.destroy();
      this.#told(error, undefined);
      return;
    }
    this.#current.off("error", this.#onError);
    this.#current.off("close", this.#onClose);
    handOnReceivedFirst(this.#current);
    this.#told(undefined, this.#current);
  };

  /** The error listener of the outermost layer. */
  #onError: (error: Error | undefined) => void = this.#settle;

  readonly #onClose = (): void => this.#settle(new Error("the connection was closed while it was made"));

  /** Called when the proxy has opened or refused the tunnel. */
  readonly #onTunnel = (error: Error | undefined): void =>
    error === undefined ? this.#proceed() : this.#settle(error);

  /** Replaces the timer; 0: no time limit. */
  #limit(ms: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = ms > 0 ? setTimeout(() => this.#settle(new Error(`${what} in ${ms} ms`)), ms) : undefined;
  }

  /** Starts TLS with the proxy. All later bytes pass through this TLS connection. */
  #shakeWithProxy(proxy: ProxyHop): void {
    const secure = connectTls({
      socket: this.#below(),
      host: proxy.host,
      ...(isIP(proxy.host) === 0 ? { servername: proxy.host } : {}),
      ALPNProtocols: ["http/1.1"],
    });
    this.#current = secure;
    const explained = watchCertificate(secure);
    secure.on("error", (error) => this.#settle(explained(error)));
    secure.on("close", this.#onClose);
    secure.once("secureConnect", () => askForTunnel(secure, proxy, this.#dial, this.#onTunnel));
  }

  /** Called when bytes can reach the upstream: sends the preface, then starts TLS. */
  #proceed(): void {
    if (this.#settled) {
      return;
    }
    const { preface, tls } = this.#way;
    if (preface !== undefined) {
      this.#current.write(preface);
    }
    if (tls === undefined) {
      this.#settle(undefined);
      return;
    }
    this.#limit(tls.handshakeTimeoutMs, "no TLS handshake");
    if (tls.clientCertificate === undefined) {
      this.#shake(tls, {});
    } else {
      tls.clientCertificate
        .load()
        .then((identity) => this.#shake(tls, identity ?? {}))
        .catch(this.#settle);
    }
  }

  /** Does the TLS handshake with the upstream, over the socket or the tunnel. */
  #shake(tls: TlsOfSocket, identity: Partial<ClientIdentity>): void {
    if (this.#settled) {
      return;
    }
    const { writeBufferBytes, allowHalfOpen = false } = this.#options;
    const secure: TLSSocket = connectTls({
      ...tls.options,
      ...identity,
      socket: this.#below(),
      ...(writeBufferBytes > 0 ? { highWaterMark: writeBufferBytes } : {}),
      ...(allowHalfOpen ? { allowHalfOpen } : {}),
      host: tls.serverName,
      ...(isIP(tls.serverName) === 0 ? { servername: tls.serverName } : {}),
      ALPNProtocols: [...tls.alpn],
    });
    this.#current = secure;
    const explained = watchCertificate(secure);
    this.#onError = (error) => this.#settle(error && explained(error));
    secure.on("error", this.#onError);
    secure.on("close", this.#onClose);
    secure.once("secureConnect", () => {
      if (!tls.renegotiation) {
        secure.disableRenegotiation();
      }
      this.#settle(undefined);
    });
  }

  /**
   * Takes the socket for the next layer, which adds its own listeners. The next layer reports the errors of this
   * socket.
   */
  #below(): Socket {
    this.#current.off("close", this.#onClose);
    return this.#current;
  }
}

/** @param readInto read buffer of the socket */
function connectOptions(
  dial: DialAddress,
  options: SocketOptions,
  proxy: ProxyHop | undefined,
  readInto: ReadBuffer | undefined,
): NetConnectOpts {
  const { writeBufferBytes, fallbackDelayMs, probeIntervalMs, localAddress, lookup, allowHalfOpen } = options;
  const waiting = {
    ...(writeBufferBytes > 0 ? { writableHighWaterMark: writeBufferBytes } : {}),
    ...(allowHalfOpen === true ? { allowHalfOpen } : {}),
  };
  const reading = readInto === undefined ? {} : { onread: readInto.options };
  if (dial.path !== "") {
    return { path: dial.path, ...reading, ...waiting };
  }
  return {
    host: proxy?.host ?? dial.host,
    port: proxy?.port ?? dial.port,
    noDelay: true,
    autoSelectFamily: true,
    ...(dial.family === 0 || proxy !== undefined ? {} : { family: dial.family }),
    autoSelectFamilyAttemptTimeout: fallbackDelayMs < 0 ? longestDelayMs : Math.max(10, fallbackDelayMs),
    ...(probeIntervalMs > 0 ? { keepAlive: true, keepAliveInitialDelay: probeIntervalMs } : {}),
    ...(localAddress === undefined ? {} : { localAddress }),
    lookup,
    ...reading,
    ...waiting,
  };
}
