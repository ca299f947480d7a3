import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { ClientCertificate } from "certificates/tls/certificates/client-certificate";
import type { ModuleContext } from "server-core/modules/module-context";
import { ActiveHealth } from "server-modules/handlers/reverse-proxy/active-health";
import { Candidate } from "server-modules/handlers/reverse-proxy/candidate";
import {
  type DialAddress,
  hasPlaceholder,
  parseDial,
} from "server-modules/handlers/reverse-proxy/transport/dial-address";
import { nameLookups } from "server-modules/handlers/reverse-proxy/transport/name-lookups";
import {
  openSocket,
  type SocketWay,
  type TlsOfSocket,
} from "server-modules/handlers/reverse-proxy/transport/open-socket";
import {
  managedClientCertificate,
  upstreamTlsOptions,
} from "server-modules/handlers/reverse-proxy/transport/upstream-tls";
import { Upstream, upstreamPool } from "server-modules/handlers/reverse-proxy/upstream";
import type { Connection } from "../connection/connection.ts";
import { DialSource, type DialWay } from "./dial-source.ts";
import type { ProxyConfig, UpstreamConfig } from "./proxy-config.ts";

/** Timeout of one dial in milliseconds, over all addresses of a name. */
const dialTimeoutMs = 10_000;
/** Milliseconds until the other address family is tried in parallel. Source: RFC 8305, "Happy Eyeballs" */
const fallbackDelayMs = 300;
/** Milliseconds between TCP keep-alive probes, which detect a dead connection. */
const probeIntervalMs = 30_000;

/** One address of an upstream. */
interface Peer {
  /** Address from the config, with placeholders. */
  readonly address: string;
  /** Counters and failures of the address, shared by all proxies. */
  readonly upstream: Upstream;
}

/** TLS settings of an upstream, before the server name of a connection is known. */
interface UpstreamTls {
  /** Handshake options common to all connections. */
  readonly options: ConnectionOptions;
  /** A managed client certificate, when the config names its subject. */
  readonly clientCertificate: ClientCertificate | undefined;
  /** Server name with placeholders; "" for the host of the address. */
  readonly serverName: string;
  /** Milliseconds for the TLS handshake; default 10,000. A slower upstream counts as failed. */
  readonly handshakeTimeoutMs: number;
  readonly renegotiation: boolean;
}

/** A server behind a layer 4 proxy. It may have several addresses, which all get the same bytes. */
export class UpstreamServer {
  /** The form that policies choose, represented by the first address. */
  readonly candidate: Candidate;
  readonly #peers: readonly Peer[];
  readonly #source: DialSource;
  readonly #tls: UpstreamTls | undefined;
  readonly #maxConnections: number;
  readonly #maxFails: number;

  private constructor(
    candidate: Candidate,
    peers: readonly Peer[],
    { source, tls }: { readonly source: DialSource; readonly tls: UpstreamTls | undefined },
    { maxConnections, maxFails }: { readonly maxConnections: number; readonly maxFails: number },
  ) {
    this.candidate = candidate;
    this.#peers = peers;
    this.#source = source;
    this.#tls = tls;
    this.#maxConnections = maxConnections;
    this.#maxFails = maxFails;
  }

  /** @param check name of the active checks; undefined for none. @throws ServerError MODULE_CONFIG, SHARED_FULL */
  static async load(
    config: UpstreamConfig,
    index: number,
    proxy: ProxyConfig,
    { context, check }: { readonly context: ModuleContext; readonly check: string | undefined },
  ): Promise<UpstreamServer> {
    const passive = proxy.health_checks?.passive;
    const maxConnections =
      config.max_connections || passive?.unhealthy_connection_count || Number.POSITIVE_INFINITY;
    const source = new DialSource(config);
    const peers: Peer[] = [];
    for (const address of config.dial) {
      if (!hasPlaceholder(address)) {
        parseDial(address);
      }
      const make = () => new Upstream(address, context.log, context.processShared);
      peers.push({ address, upstream: (await context.acquire(upstreamPool, address, make)).value });
    }
    const [first] = peers;
    if (first === undefined) {
      throw new RangeError("an upstream has one address at least");
    }
    const health = check === undefined ? undefined : new ActiveHealth(context.shared, check, first.address);
    const candidate = new Candidate(first.upstream, index, maxConnections, health);
    const tls = config.tls ? await loadTls(config.tls, context) : undefined;
    const maxFails = passive?.fail_duration ? passive.max_fails || 1 : Number.POSITIVE_INFINITY;
    return new UpstreamServer(candidate, peers, { source, tls }, { maxConnections, maxFails });
  }

  /** One upstream for each address; each counts the connection. */
  get upstreams(): Upstream[] {
    return this.#peers.map(({ upstream }) => upstream);
  }

  /** True when active checks pass, and no address has too many connections or failures. */
  get isAvailable(): boolean {
    return (
      this.candidate.health?.healthy !== false &&
      this.#peers.every(
        ({ upstream }) => upstream.requests < this.#maxConnections && upstream.fails < this.#maxFails,
      )
    );
  }

  /**
   * Opens a connection to each address.
   * @param preface first bytes for each connection
   * @throws UpstreamFailure; connections opened until then are closed
   */
  async dial(connection: Connection, preface: Buffer | undefined): Promise<Socket[]> {
    const opened = await Promise.allSettled(this.#peers.map((peer) => this.#open(peer, connection, preface)));
    const sockets = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = opened.find((each) => each.status === "rejected");
    if (failed !== undefined) {
      for (const socket of sockets) {
        socket.destroy();
      }
      throw failed.reason;
    }
    return sockets;
  }

  /** Opens one address, and records the latency or the failure. @throws UpstreamFailure */
  async #open(
    { address, upstream }: Peer,
    connection: Connection,
    preface: Buffer | undefined,
  ): Promise<Socket> {
    const startedAt = performance.now();
    try {
      const dial = parseDial(connection.fill(address));
      const way = { tls: this.#tlsFor(dial, connection), preface };
      const socket = await openFirst(await this.#source.waysTo(dial, connection), way);
      upstream.answered(performance.now() - startedAt);
      // The socket may fail before it is joined with the client, while another address is dialed.
      socket.on("error", () => socket.destroy());
      return socket;
    } catch (cause) {
      const error = cause as Error;
      upstream.failed(error);
      throw new UpstreamFailure(upstream, `dialing ${address}: ${error.message}`, { cause });
    }
  }

  /**
   * TLS options of one connection; undefined without TLS. ALPN offers the protocol negotiated with the client,
   * `{l4.tls.proto}`.
   */
  #tlsFor(dial: DialAddress, connection: Connection): TlsOfSocket | undefined {
    const tls = this.#tls;
    if (tls === undefined) {
      return undefined;
    }
    const spoken = connection.value("l4.tls.proto") ?? "";
    return {
      ...tls,
      serverName: connection.fill(tls.serverName) || dial.host || "localhost",
      // The upstream must use the protocol negotiated with the client.
      alpn: spoken === "" ? [] : [spoken],
    };
  }
}

/** Opens a socket by one way. @throws the error of the dial or of the handshake */
function openWay({ dial, localAddress }: DialWay, way: SocketWay): Promise<Socket> {
  const options = {
    ...{ dialTimeoutMs, fallbackDelayMs, probeIntervalMs, localAddress },
    ...{ lookup: nameLookups.lookup, writeBufferBytes: 0, allowHalfOpen: true },
  };
  return new Promise((resolve, reject) => {
    openSocket(dial, options, way, (error, socket) =>
      socket === undefined ? reject(error ?? new Error("no connection")) : resolve(socket),
    );
  });
}

/** Tries the ways in order. After the time of one dial, no further way is tried. @throws the error of the last way */
async function openFirst(ways: readonly DialWay[], way: SocketWay): Promise<Socket> {
  const endsAt = performance.now() + dialTimeoutMs;
  let last: unknown;
  for (const each of ways) {
    try {
      return await openWay(each, way);
    } catch (error) {
      last = error;
    }
    if (performance.now() >= endsAt) {
      break;
    }
  }
  throw last;
}

/** An unreachable upstream. The proxy counts the failure for passive checks. */
export class UpstreamFailure extends Error {
  readonly upstream: Upstream;

  constructor(upstream: Upstream, message: string, options: ErrorOptions) {
    super(message, options);
    this.upstream = upstream;
  }
}

/** Loads certificates and trust of an upstream. @throws ServerError MODULE_CONFIG */
async function loadTls(
  config: NonNullable<UpstreamConfig["tls"]>,
  context: ModuleContext,
): Promise<UpstreamTls> {
  return {
    options: await upstreamTlsOptions(config, context),
    clientCertificate: await managedClientCertificate(config, context),
    serverName: config.server_name ?? "",
    handshakeTimeoutMs: config.handshake_timeout || dialTimeoutMs,
    renegotiation: (config.renegotiation ?? "never") !== "never",
  };
}
