import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { ClientCertificate } from "certificates/tls/certificates/client-certificate";
import { proxyProtocolHeader } from "http-engine/proxy-protocol/proxy-protocol-header";
import type { DialAddress } from "./dial-address.ts";
import { openSocket, type SocketOptions } from "./open-socket.ts";
import type { ProxyHop } from "./proxy-hop.ts";
import type { ReadBuffer } from "./read-buffer.ts";
import type { UpstreamRequest } from "./transport.ts";

/** How a transport's config wants connections to be. */
export interface SocketDialerOptions {
  /** Timeouts and addresses of plain connections. */
  readonly socket: SocketOptions;
  /** Undefined: no TLS. */
  readonly tls: ConnectionOptions | undefined;
  /** Certificate to show instead of the one in `tls`. */
  readonly clientCertificate: ClientCertificate | undefined;
  /** Ports that are dialled without TLS. */
  readonly exceptPorts: ReadonlySet<number>;
  /** Milliseconds for a TLS handshake. */
  readonly handshakeTimeoutMs: number;
  /** Whether an upstream may start another handshake. */
  readonly renegotiation: boolean;
  /** Version of the PROXY header that is sent first; undefined for none. */
  readonly proxyProtocol: "v1" | "v2" | undefined;
  /** The proxy that a request goes through. @throws ServerError when there should be one, and is none */
  readonly hop:
    | ((request: UpstreamRequest, dial: DialAddress, secure: boolean) => ProxyHop | undefined)
    | undefined;
}

/** Address of a connection, and the protocols on it. */
export interface DialTarget {
  /** Address of the upstream. */
  readonly dial: DialAddress;
  /** Name for TLS; "" for the host of the address. */
  readonly serverName: string;
  /** Protocols to offer, over TLS. */
  readonly alpn: readonly string[];
  /** Memory that the socket reads into; absent for a socket that is read as a stream. */
  readonly buffer?: ReadBuffer | undefined;
}

/** Opens connections to upstreams as a transport's config says. */
export interface SocketDialer {
  /** Whether it speaks TLS with this upstream. */
  secure(dial: DialAddress): boolean;
  /**
   * @param request the first that the connection carries: it names the client and the proxy
   * @param done called once, with a socket or with why there is none
   * @returns a function that cancels the dial
   */
  open(
    target: DialTarget,
    request: UpstreamRequest,
    done: (error: Error | undefined, socket: Socket | undefined) => void,
  ): () => void;
}

/**
 * The PROXY header with the client's address. Behind a trusted proxy that address is the one it names, whose
 * unknown port: 0.
 */
function preface(version: "v1" | "v2", request: UpstreamRequest): Buffer {
  const { exchange } = request;
  const source = exchange?.clientAddress ?? "";
  return proxyProtocolHeader(version, {
    source,
    sourcePort: source === exchange?.remoteAddress ? (exchange.socket.remotePort ?? 0) : 0,
    destination: exchange?.socket.localAddress ?? "",
    destinationPort: exchange?.socket.localPort ?? 0,
  });
}

/** Makes the dialer of one transport. It keeps no state. */
export function makeSocketDialer(options: SocketDialerOptions): SocketDialer {
  const secure = (dial: DialAddress): boolean =>
    options.tls !== undefined && !options.exceptPorts.has(dial.port);
  return {
    secure,
    open({ dial, serverName, alpn, buffer }, request, done) {
      const { tls, clientCertificate, handshakeTimeoutMs, renegotiation, proxyProtocol } = options;
      return openSocket(
        dial,
        options.socket,
        {
          tls:
            tls === undefined || !secure(dial)
              ? undefined
              : {
                  options: tls,
                  clientCertificate,
                  serverName: serverName || dial.host || "localhost",
                  handshakeTimeoutMs,
                  alpn,
                  renegotiation,
                },
          preface: proxyProtocol === undefined ? undefined : preface(proxyProtocol, request),
          buffer,
          hop: options.hop?.(request, dial, secure(dial)),
        },
        done,
      );
    },
  };
}
