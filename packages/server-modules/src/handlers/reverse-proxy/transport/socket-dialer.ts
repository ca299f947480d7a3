import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { ClientCertificate } from "certificates/tls/certificates/client-certificate";
import { proxyProtocolHeader } from "http-engine/proxy-protocol/proxy-protocol-header";
import type { DialAddress } from "./dial-address.ts";
import { openSocket, type SocketOptions } from "./open-socket.ts";
import type { ProxyHop } from "./proxy-hop.ts";
import type { ReadBuffer } from "./read-buffer.ts";
import type { UpstreamRequest } from "./transport.ts";

/** Connection options from a transport's config. */
export interface SocketDialerOptions {
  /** Timeouts and addresses of plain connections. */
  readonly socket: SocketOptions;
  /** TLS options; undefined without TLS. */
  readonly tls: ConnectionOptions | undefined;
  /** Client certificate that replaces the certificate in `tls`. */
  readonly clientCertificate: ClientCertificate | undefined;
  /** Ports that are dialed without TLS. */
  readonly exceptPorts: ReadonlySet<number>;
  /** Milliseconds for the TLS handshake. A slower upstream counts as failed. */
  readonly handshakeTimeoutMs: number;
  /** True when an upstream may renegotiate. */
  readonly renegotiation: boolean;
  /** Version of the PROXY header that is sent first; undefined: no header is sent. */
  readonly proxyProtocol: "v1" | "v2" | undefined;
  /** Chooses the proxy of a request. @throws ServerError for an invalid proxy URL */
  readonly hop:
    | ((request: UpstreamRequest, dial: DialAddress, secure: boolean) => ProxyHop | undefined)
    | undefined;
}

/** Address of a connection, and the protocols that it may use. */
export interface DialTarget {
  /** Address of the upstream. */
  readonly dial: DialAddress;
  /** TLS server name; "" for the host of the address. */
  readonly serverName: string;
  /** ALPN protocols to offer over TLS. */
  readonly alpn: readonly string[];
  /** Read buffer of the socket; absent for a socket that is read as a stream. */
  readonly buffer?: ReadBuffer | undefined;
}

/** Opens connections to upstreams as the transport's config requires. */
export interface SocketDialer {
  /** True when connections to this upstream use TLS. */
  secure(dial: DialAddress): boolean;
  /**
   * @param request first request of the connection, which determines the client address and the proxy
   * @param done called once, with a socket or with an error
   * @returns a function that cancels the dial
   */
  open(
    target: DialTarget,
    request: UpstreamRequest,
    done: (error: Error | undefined, socket: Socket | undefined) => void,
  ): () => void;
}

/**
 * The PROXY header with the client's address. Behind a trusted proxy, this is the forwarded client address with port 0,
 * because the port is unknown.
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

/** Creates the dialer of one transport. The dialer has no state. */
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
