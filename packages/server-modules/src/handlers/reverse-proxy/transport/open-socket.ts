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

/** How connections to upstreams are made; times in milliseconds, 0 for none. */
export interface SocketOptions {
  /** Milliseconds until the connection must be open, all addresses together. */
  readonly dialTimeoutMs: number;
  /** Time until the next of several addresses is tried beside the first; negative: not before the first has failed. */
  readonly fallbackDelayMs: number;
  /** Time between TCP keep-alive probes; 0 for none. */
  readonly probeIntervalMs: number;
  /** Address of this machine to dial from; undefined for any. */
  readonly localAddress: string | undefined;
  /** Finds the addresses of names. */
  readonly lookup: LookupFunction;
  /** High-water mark of the socket in bytes: above it `write` returns false; 0: Node's default. */
  readonly writeBufferBytes: number;
  /** Whether the upstream may end its side while this side still writes. Default: false. */
  readonly allowHalfOpen?: boolean;
}

/** TLS of one connection. */
export interface TlsOfSocket {
  /** Trust, certificate and versions. */
  readonly options: ConnectionOptions;
  /** To show instead of the one in `options`; without any while there is none. */
  readonly clientCertificate?: ClientCertificate | undefined;
  /** Name that is asked for and checked. */
  readonly serverName: string;
  /** Milliseconds for the handshake. */
  readonly handshakeTimeoutMs: number;
  /** Protocols that are offered, the best first. */
  readonly alpn: readonly string[];
  /** Whether the upstream may start another handshake, as some servers do for a certificate. */
  readonly renegotiation: boolean;
}

/** Bytes that go out before anything else: a PROXY protocol header. */
export type Preface = Buffer | undefined;

/** More than any dial takes. */
const longestDelayMs = 2 ** 31 - 1;

/** Gets a socket, or why there is none; never both. */
type Done = (error: Error | undefined, socket: Socket | undefined) => void;

/** Which way a connection goes, beside its address. */
export interface SocketWay {
  /** TLS with the upstream; undefined for none. */
  readonly tls?: TlsOfSocket | undefined;
  /** Written right after the connection stands, before TLS. */
  readonly preface?: Preface;
  /** Memory to read into, without TLS or a proxy: the socket emits no `data` then. */
  readonly buffer?: ReadBuffer | undefined;
  /** The proxy; the lookup, the own address and the time limit are for the connection to it. */
  readonly hop?: ProxyHop | undefined;
}

/**
 * Opens a connection, through a proxy where there is one, and, if asked to, speaks TLS on it.
 * @param done called once, with a socket without our listeners; data received before is still delivered
 *   it fails, or with why there is none
 * @returns a function that cancels; `done` is not called after that
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
 * A connection that is being made: dialed, led through a proxy, and secured.
 * | Step | Time limit | Next |
 * |---|---|---|
 * | connect to the upstream, or to the proxy | `dialTimeoutMs` | the proxy's TLS, the tunnel, or the preface |
 * | TLS with the proxy | the same limit | the tunnel |
 * | CONNECT or SOCKS | the same limit | the preface |
 * | PROXY header (preface) | | TLS with the upstream, or done |
 * | TLS with the upstream | `handshakeTimeoutMs` | done |
 *
 * Each step may fail the opening. `giveUp` ends any step silently.
 */
class SocketOpening {
  readonly #dial: DialAddress;
  readonly #options: SocketOptions;
  readonly #way: SocketWay;
  /** The proxy to dial; none leads to a unix socket. */
  readonly #proxy: ProxyHop | undefined;
  /** The caller's `done`, in the caller's context. */
  readonly #told: Done;
  /** The outermost layer so far: TCP, TLS with the proxy, or TLS with the upstream. */
  #current: Socket;
  /** The limit of the present step. */
  #timer: NodeJS.Timeout | undefined;
  /** `done` was called, or the caller gave up. */
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

  /** Starts the first step. Called once. */
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

  /** Arrow functions, because listeners are taken off by identity. */
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

  /** The listener for errors of the outermost layer. */
  #onError: (error: Error | undefined) => void = this.#settle;

  readonly #onClose = (): void => this.#settle(new Error("the connection was closed while it was made"));

  /** The proxy has opened the tunnel, or refused it. */
  readonly #onTunnel = (error: Error | undefined): void =>
    error === undefined ? this.#proceed() : this.#settle(error);

  /** Replaces the time limit; 0 sets none. */
  #limit(ms: number, what: string): void {
    clearTimeout(this.#timer);
    this.#timer = ms > 0 ? setTimeout(() => this.#settle(new Error(`${what} in ${ms} ms`)), ms) : undefined;
  }

  /** Everything after that goes through TLS with the proxy. */
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

  /** The way to the upstream is open. */
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

  /** The socket for the next layer. Its errors are reported by that layer. */
  #below(): Socket {
    this.#current.off("close", this.#onClose);
    return this.#current;
  }
}

/** @param readInto memory that the socket reads into */
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
