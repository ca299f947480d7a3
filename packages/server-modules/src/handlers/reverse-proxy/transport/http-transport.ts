import { createHash } from "node:crypto";
import type { ConnectionOptions } from "node:tls";
import type { ClientCertificate } from "certificates/tls/certificates/client-certificate";
import { compileTemplate, isFixed } from "http-engine/placeholders";
import { environmentProxies } from "server-core/environment-proxies";
import { messageOf, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import { networkProxies } from "server-core/network-proxy";
import { ConnectionSlots, type SlotPlea } from "./connection-slots.ts";
import type { DialAddress } from "./dial-address.ts";
import type { HttpTransportConfig } from "./http-transport-config.ts";
import { httpTransportSchema } from "./http-transport-config.ts";
import { IdleConnections } from "./idle-connections.ts";
import { nameLookups } from "./name-lookups.ts";
import type { SocketOptions } from "./open-socket.ts";
import { type ProxyHop, parseProxyHop } from "./proxy-hop.ts";
import { lookupThrough, makeResolver } from "./resolver.ts";
import { makeSocketDialer, type SocketDialerOptions } from "./socket-dialer.ts";
import type { ResponseReceiver, Transport, UpstreamCall, UpstreamRequest } from "./transport.ts";
import { askingForGzip, UnpackedCall } from "./unpacked-call.ts";
import { UpstreamConnections, type UpstreamConnectionsOptions } from "./upstream-connections.ts";
import { managedClientCertificate, upstreamTlsOptions } from "./upstream-tls.ts";

/** Default values of the config, in milliseconds and bytes. Source: Caddy 2.11 */
const defaults = {
  dialTimeoutMs: 3_000,
  fallbackDelayMs: 300,
  probeIntervalMs: 30_000,
  idleTimeoutMs: 120_000,
  maxIdlePerHost: 32,
  maxHeaderBytes: 10 * 1024 * 1024,
};

/** Prefix of the connection counters and of message topics; the transport's hash follows. */
const connectionsPrefix = "http.reverse_proxy.connections/";

/**
 * Maximum number of upstream addresses whose connections are kept, because placeholders may produce any number of
 * addresses.
 */
const maxKnownAddresses = 1_000;

/** Connection limits over all threads; absent for no limit. */
interface ConnectionCounts {
  /** Creates the slots (connection limit) of an upstream. */
  readonly slotsFor?: ((place: string) => ConnectionSlots) | undefined;
  /** Creates the idle limit of an upstream. */
  readonly idleFor?: ((place: string) => IdleConnections) | undefined;
  /** Creates the idle limit over all upstreams. */
  readonly idle?: (() => IdleConnections) | undefined;
}

/** Settings that all connections of a transport share. */
interface TransportParts {
  /** True when upstreams are dialed with TLS. */
  readonly secure: boolean;
  /** Computes the TLS server name from placeholders; undefined for the upstream's host. */
  readonly serverName: ((request: UpstreamRequest) => string) | undefined;
  /** Chooses the proxy between this server and the upstream; undefined when no proxy is used. */
  readonly hop: ((request: UpstreamRequest) => ProxyHop) | undefined;
  /** Creates the counters of open connections. */
  readonly counts: ConnectionCounts;
}

/**
 * Sends requests over HTTP/1.1 and HTTP/2. Its connections outlive reloads that do not change its config. Connections
 * are grouped by address, server name, and the chosen proxy. Above the limit of groups, the group that was created
 * first is dropped.
 */
export class HttpTransport implements Transport, SharedResource {
  /** `https` when upstreams are dialed with TLS. */
  readonly scheme: "http" | "https";
  readonly #options: UpstreamConnectionsOptions;
  readonly #serverName: ((request: UpstreamRequest) => string) | undefined;
  /** Chooses the proxy of each request; undefined when no proxy is used. */
  readonly #hop: ((request: UpstreamRequest) => ProxyHop) | undefined;
  /** Creates the counters of a new group. */
  readonly #counts: ConnectionCounts;
  /** Connections by group key. */
  readonly #byAddress = new Map<string, UpstreamConnections>();

  constructor(options: UpstreamConnectionsOptions, { secure, serverName, hop, counts }: TransportParts) {
    this.#options = options;
    this.#counts = counts;
    this.#hop = hop;
    this.scheme = secure ? "https" : "http";
    this.#serverName = serverName;
  }

  /** Finds or creates the connections of a group, and passes the request to them. */
  call(dial: DialAddress, request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall {
    const serverName = this.#serverName?.(request) ?? "";
    const address = dial.family === 0 ? dial.key : `tcp${dial.family}/${dial.key}`;
    const place = serverName === "" ? address : `${address} ${serverName}`;
    const key = this.#hop === undefined ? place : `${place} through ${this.#hop(request).key}`;
    let connections = this.#byAddress.get(key);
    if (connections === undefined) {
      const { slotsFor, idleFor } = this.#counts;
      connections = new UpstreamConnections(dial, serverName, {
        options: this.#options,
        slots: slotsFor?.(key),
        idleHere: idleFor?.(key),
      });
      for (const [oldest, unused] of this.#byAddress) {
        if (this.#byAddress.size < maxKnownAddresses) {
          break;
        }
        this.#byAddress.delete(oldest);
        unused.close();
      }
      this.#byAddress.set(key, connections);
    }
    return connections.call(request, receiver);
  }

  /** Called when another thread waits for a connection. */
  asked(plea: SlotPlea): void {
    this.#byAddress.get(plea.place)?.asked(plea);
  }

  /** Closes idle connections now, and busy connections after their requests. */
  close(): void {
    for (const connections of this.#byAddress.values()) {
      connections.close();
    }
    this.#options.idle?.close();
  }
}

/** All transports of the process, by config. */
const transportPool: ResourceKind<HttpTransport> = { name: "http.reverse_proxy.transport" };

/** Finds the proxy of an upstream in the environment variables. @throws ServerError MODULE_CONFIG for an invalid URL */
function environmentHop(): SocketDialerOptions["hop"] {
  const proxies = environmentProxies(process.env);
  if (proxies === undefined) {
    return undefined;
  }
  const { http, https, isException } = proxies;
  const plain = http === "" ? undefined : parseProxyHop(http, "HTTP_PROXY of the environment");
  const secured = https === "" ? undefined : parseProxyHop(https, "HTTPS_PROXY of the environment");
  return (_request, { host, port }, secure) => {
    const hop = secure ? secured : plain;
    return hop === undefined || isException(host, port) ? undefined : hop;
  };
}

/**
 * Chooses the proxy of each request, and reports whether all requests have the same proxy.
 * @param url proxy URL of the config; "": no proxy
 * @throws ServerError MODULE_CONFIG
 */
function proxyOf(url: string): { hop: (request: UpstreamRequest) => ProxyHop; isFixed: boolean } | undefined {
  if (url === "") {
    return undefined;
  }
  const template = compileTemplate(url);
  if (isFixed(template)) {
    const hop = parseProxyHop(url);
    return { hop: () => hop, isFixed: true };
  }
  return {
    isFixed: false,
    hop({ exchange }) {
      if (exchange === undefined) {
        throw new ServerError("PROXY_UPSTREAM", "network_proxy: its placeholders need a request of a client");
      }
      try {
        return parseProxyHop(template(exchange));
      } catch (error) {
        throw new ServerError("PROXY_UPSTREAM", messageOf(error), { cause: error });
      }
    },
  };
}

/** Values that are loaded before the transport is created. */
interface TransportNeeds {
  /** URL of the proxy between this server and the upstream; undefined: no proxy. */
  readonly proxyUrl: string | undefined;
  /** Settings of TLS towards upstreams; undefined without TLS. */
  readonly tls: ConnectionOptions | undefined;
  /** Client certificate for the upstream; undefined: none is sent. */
  readonly clientCertificate: ClientCertificate | undefined;
  /** Creates the counters of open connections. */
  readonly counts: ConnectionCounts;
}

/** Options of the sockets below TLS. */
function socketOptionsOf(config: HttpTransportConfig): SocketOptions {
  const resolver = makeResolver(config.resolver, config.dial_timeout);
  return {
    dialTimeoutMs: config.dial_timeout || defaults.dialTimeoutMs,
    fallbackDelayMs: config.dial_fallback_delay || defaults.fallbackDelayMs,
    probeIntervalMs: config.keep_alive?.probe_interval ?? defaults.probeIntervalMs,
    localAddress: config.local_address || undefined,
    lookup: resolver === undefined ? nameLookups.lookup : lookupThrough(resolver),
    writeBufferBytes: config.write_buffer_size ?? 0,
  };
}

/** Converts the config to options of connections, and sets the defaults. */
function makeTransport(
  config: HttpTransportConfig,
  { proxyUrl, tls, clientCertificate, counts }: TransportNeeds,
): HttpTransport {
  const name = config.tls?.server_name ? compileTemplate(config.tls.server_name) : undefined;
  const keepAlive = config.keep_alive ?? {};
  const isKept =
    keepAlive.enabled !== false &&
    (keepAlive.max_idle_conns ?? 0) >= 0 &&
    (keepAlive.max_idle_conns_per_host ?? 0) >= 0;
  const versions = config.versions ?? ["1.1", "2"];
  const proxy = proxyOf(proxyUrl ?? "");
  const proxyProtocol = config.proxy_protocol === "" ? undefined : (config.proxy_protocol ?? undefined);
  const options: UpstreamConnectionsOptions = {
    dialer: makeSocketDialer({
      socket: socketOptionsOf(config),
      tls,
      clientCertificate,
      exceptPorts: new Set((config.tls?.except_ports ?? []).map(Number)),
      handshakeTimeoutMs: config.tls?.handshake_timeout || config.dial_timeout || defaults.dialTimeoutMs,
      renegotiation: (config.tls?.renegotiation ?? "never") !== "never",
      proxyProtocol,
      hop: proxyUrl === undefined ? environmentHop() : proxy?.hop,
    }),
    limits: {
      maxHeaderBytes: config.max_response_header_size || defaults.maxHeaderBytes,
      responseHeaderTimeoutMs: config.response_header_timeout ?? 0,
      expectContinueTimeoutMs: config.expect_continue_timeout ?? 0,
      readTimeoutMs: config.read_timeout ?? 0,
      writeTimeoutMs: config.write_timeout ?? 0,
    },
    keepAlive: isKept && proxyProtocol === undefined,
    readBufferBytes: config.read_buffer_size ?? 0,
    idleTimeoutMs: keepAlive.idle_timeout || defaults.idleTimeoutMs,
    maxIdle: defaults.maxIdlePerHost,
    idle: counts.idle?.(),
    h2: versions.includes("2") || versions.includes("h2c"),
    h2c: versions.includes("h2c"),
  };
  const fixedName = name !== undefined && isFixed(name) ? config.tls?.server_name : undefined;
  const serverName =
    name === undefined
      ? undefined
      : (request: UpstreamRequest) =>
          fixedName ?? (request.exchange === undefined ? "" : name(request.exchange));
  return new HttpTransport(options, {
    secure: tls !== undefined,
    serverName,
    hop: proxy?.isFixed === false ? proxy.hop : undefined,
    counts,
  });
}

/** A short name for counters: configs may be long, but shared memory stores only short names. */
function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}

/** Creates the connection limit of one upstream. @param topic message topic of the transport, equal in all threads */
function countedSlots(
  topic: string,
  max: number,
  context: ModuleContext,
): (place: string) => ConnectionSlots {
  const { messages, processShared } = context;
  const { thread } = messages;
  return (place) =>
    new ConnectionSlots({
      max,
      gauge: processShared.gauge(`${topic}/${shortHash(place)}`),
      async plead(waiting, waitedMs) {
        try {
          await messages.askServing(topic, { thread, place, waiting, waitedMs } satisfies SlotPlea);
        } catch {
          // The thread cannot be reached now; it will be asked again.
        }
      },
    });
}

/** The configured proxy URL; "": no proxy; undefined: the environment decides. */
async function proxyUrlOf(config: HttpTransportConfig, context: ModuleContext): Promise<string | undefined> {
  const { network_proxy: named, forward_proxy_url: url } = config;
  return named
    ? (await context.loadInline(networkProxies, "from", named as JsonValue, "network_proxy")).url
    : url || undefined;
}

/** HTTP to upstreams. Source: Caddy 2.11 */
export const httpTransport = defineModule({
  id: "http.reverse_proxy.transport.http",
  config: httpTransportSchema,
  async provision(config, context): Promise<Transport> {
    const tls = config.tls ? await upstreamTlsOptions(config.tls, context) : undefined;
    const shown = config.tls ? await managedClientCertificate(config.tls, context) : undefined;
    const proxyUrl = await proxyUrlOf(config, context);
    // Configs with equal text and equal files share one transport.
    const key = JSON.stringify([config, tls, proxyUrl], (_, value) => value ?? undefined);
    const topic = `${connectionsPrefix}${shortHash(key)}`;
    const { max_idle_conns: maxIdle, max_idle_conns_per_host: maxIdleHere } = config.keep_alive ?? {};
    const { processShared } = context;
    const counts: ConnectionCounts = {
      slotsFor: config.max_conns_per_host
        ? countedSlots(topic, config.max_conns_per_host, context)
        : undefined,
      idleFor:
        maxIdleHere && maxIdleHere > 0
          ? (place) =>
              new IdleConnections(maxIdleHere, processShared.gauge(`${topic}/${shortHash(place)}/idle`))
          : undefined,
      idle:
        maxIdle && maxIdle > 0
          ? () => new IdleConnections(maxIdle, processShared.gauge(`${topic}/idle`))
          : undefined,
    };
    const lease = await context.acquire(transportPool, key, () =>
      makeTransport(config, { proxyUrl, tls, clientCertificate: shown, counts }),
    );
    const transport = lease.value;
    const { messages } = context;
    if (counts.slotsFor !== undefined) {
      messages.on(topic, (value) => {
        const plea = value as SlotPlea;
        if (plea.thread !== messages.thread) {
          transport.asked(plea);
        }
      });
    }
    return {
      scheme: transport.scheme,
      handsOnExpect: (config.expect_continue_timeout ?? 0) > 0,
      call(dial, request, receiver) {
        const asking = config.compression === false ? undefined : askingForGzip(request);
        return asking === undefined
          ? transport.call(dial, request, receiver)
          : new UnpackedCall(receiver).start(transport, dial, asking);
      },
    };
  },
});
