import type { LookupFunction, Socket } from "node:net";
import { connect, isIP } from "node:net";
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls";
import type { ClientCertificate, ClientIdentity } from "certificates/tls/certificates/client-certificate";
import { keepOwner, runForNobody } from "server-core/threads/error-owner";
import type { DialAddress } from "./dial-address.ts";
import { askForTunnel, type ProxyHop } from "./proxy-hop.ts";
import { type ReadBuffer, setReadBuffer } from "./read-buffer.ts";
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
  /** Bytes that may wait in a socket before whoever writes is told to wait; 0 for the system's own. */
  readonly writeBufferBytes: number;
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

type Done = (error: Error | undefined, socket: Socket | undefined) => void;

/**
 * Opens a connection, through a proxy where there is one, and, if asked to, speaks TLS on it.
 * @param buffer memory to read into, over TCP without TLS or a proxy: the socket emits no `data` then
 * @param hop the proxy; the lookup, the own address and the time limit are for the connection to it
 * @param done called once, with a socket that has no listeners of ours left, or with why there is none
 * @returns gives it up; `done` is not called any more then
 */
export function openSocket(
  dial: DialAddress,
  options: SocketOptions,
  tls: TlsOfSocket | undefined,
  preface: Preface,
  done: Done,
  buffer?: ReadBuffer,
  hop?: ProxyHop,
): () => void {
  // No proxy leads to a unix socket.
  const proxy = dial.path === "" ? hop : undefined;
  const direct = buffer !== undefined && tls === undefined && proxy === undefined;
  const { writeBufferBytes } = options;
  const waiting = writeBufferBytes > 0 ? { writableHighWaterMark: writeBufferBytes } : {};
  let current: Socket = runForNobody(() =>
    connect(
      dial.path === ""
        ? {
            host: proxy?.host ?? dial.host,
            port: proxy?.port ?? dial.port,
            noDelay: true,
            autoSelectFamily: true,
            ...(dial.family === 0 || proxy !== undefined ? {} : { family: dial.family }),
            autoSelectFamilyAttemptTimeout:
              options.fallbackDelayMs < 0 ? longestDelayMs : Math.max(10, options.fallbackDelayMs),
            ...(options.probeIntervalMs > 0
              ? { keepAlive: true, keepAliveInitialDelay: options.probeIntervalMs }
              : {}),
            ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
            lookup: options.lookup,
            ...(direct ? { onread: buffer.options } : {}),
            ...waiting,
          }
        : { path: dial.path, ...waiting },
    ),
  );
  const told = keepOwner(done);
  if (direct && dial.path === "") {
    setReadBuffer(current, buffer);
  }
  let timer: NodeJS.Timeout | undefined;
  let settled = false;
  const settle = (error: Error | undefined): void => {
    if (settled) {
      return;
    }
    settled = true;
    clearTimeout(timer);
    if (error !== undefined) {
      current.destroy();
      told(error, undefined);
      return;
    }
    current.off("error", onError);
    current.off("close", onClose);
    told(undefined, current);
  };
  let onError = settle;
  const onClose = (): void => settle(new Error("the connection was closed while it was made"));
  const limit = (ms: number, what: string): void => {
    clearTimeout(timer);
    timer = ms > 0 ? setTimeout(() => settle(new Error(`${what} in ${ms} ms`)), ms) : undefined;
  };
  limit(options.dialTimeoutMs, "no connection");
  current.on("error", settle);
  current.on("close", onClose);
  current.once("connect", () => {
    if (proxy === undefined) {
      proceed();
    } else if (proxy.secure) {
      shakeWithProxy(proxy);
    } else {
      askForTunnel(current, proxy, dial, onTunnel);
    }
  });
  const onTunnel = (error: Error | undefined): void => (error === undefined ? proceed() : settle(error));
  /** Everything after that goes through TLS with the proxy. */
  const shakeWithProxy = (proxy: ProxyHop): void => {
    const below = current;
    below.off("close", onClose);
    const secure = connectTls({
      socket: below,
      host: proxy.host,
      ...(isIP(proxy.host) === 0 ? { servername: proxy.host } : {}),
      ALPNProtocols: ["http/1.1"],
    });
    current = secure;
    const explained = watchCertificate(secure);
    secure.on("error", (error) => settle(explained(error)));
    secure.on("close", onClose);
    secure.once("secureConnect", () => askForTunnel(secure, proxy, dial, onTunnel));
  };
  const proceed = (): void => {
    if (settled) {
      return;
    }
    if (preface !== undefined) {
      current.write(preface);
    }
    if (tls === undefined) {
      settle(undefined);
      return;
    }
    limit(tls.handshakeTimeoutMs, "no TLS handshake");
    if (tls.clientCertificate === undefined) {
      shake(tls, {});
    } else {
      tls.clientCertificate
        .load()
        .then((identity) => shake(tls, identity ?? {}))
        .catch(settle);
    }
  };
  const shake = (tls: TlsOfSocket, identity: Partial<ClientIdentity>): void => {
    if (settled) {
      return;
    }
    const below = current;
    below.off("close", onClose);
    const secure: TLSSocket = connectTls({
      ...tls.options,
      ...identity,
      socket: below,
      ...(writeBufferBytes > 0 ? { highWaterMark: writeBufferBytes } : {}),
      host: tls.serverName,
      ...(isIP(tls.serverName) === 0 ? { servername: tls.serverName } : {}),
      ALPNProtocols: [...tls.alpn],
    });
    current = secure;
    const explained = watchCertificate(secure);
    onError = (error) => settle(error && explained(error));
    secure.on("error", onError);
    secure.on("close", onClose);
    secure.once("secureConnect", () => {
      if (!tls.renegotiation) {
        secure.disableRenegotiation();
      }
      settle(undefined);
    });
  };
  return () => {
    if (!settled) {
      settled = true;
      clearTimeout(timer);
      current.on("error", () => {});
      current.destroy();
    }
  };
}
