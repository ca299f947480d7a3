import { setTimeout as sleep } from "node:timers/promises";
import { certificateTopics, type ManageRequest } from "certificates/material/certificate-messages";
import { CertificateSource } from "certificates/tls/certificates/certificate-source";
import { clientCertificates } from "certificates/tls/certificates/client-certificate";
import { ConnectionPolicy } from "certificates/tls/connection/connection-policy";
import { HandshakeEvents } from "certificates/tls/connection/handshake-events";
import { TlsAcceptor } from "certificates/tls/connection/tls-acceptor";
import type { Logger } from "lifecycle";
import { errorAt, errorWithin, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { formatListenAddress, type ListenAddress, type UdpAddress } from "server-core/listen/listen-address";
import { LogSet, logSets } from "server-core/logging/logging";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { Lease, ResourceKind } from "server-core/modules/usage-pool";
import { formatJsonPointer } from "server-core/tree/json-pointer";
import { compileAccessLog, compileErrorLog, compileHandlerLog } from "./access-logs/access-log.ts";
import {
  defaultHttpPort,
  defaultHttpsPort,
  type PlannedAddress,
  type PlannedServer,
  planAutomaticHttps,
} from "./automatic-https.ts";
import { H2Connection } from "./h2/h2-connection.ts";
import type { Http3Listener } from "./h3/h3-listener.ts";
import { type HttpAppConfig, httpAppSchema } from "./http-config.ts";
import { HttpServer } from "./http-server.ts";
import { ipSources } from "./ip-source.ts";
import { protocolsByAddress } from "./listen-protocols.ts";
import { type ListenerState, listenersTopic } from "./listener-state.ts";
import { loadListenerWrappers } from "./listener-wrappers.ts";
import { loadRoutes } from "./load-routes.ts";
import {
  type RehearsalReport,
  type RehearsalRequest,
  rehearsalTopic,
} from "./rehearsal/rehearsal-request.ts";
import { rehearseRequest } from "./rehearsal/rehearse-request.ts";
import { RequestsUnderWay, requestsUnderWay, underWayBytes, underWayName } from "./requests-under-way.ts";
import { ResponseTally, responseTallies } from "./response-tally.ts";
import type { RouteConfig } from "./route-config.ts";
import { type RouteReading, routeFiguresTopic } from "./route-figures.ts";
import { planRouteMetrics } from "./route-metrics-plan.ts";
import { RouteObserver } from "./route-observer.ts";
import { RouteTally, routeTallies } from "./route-tally.ts";
import type { RouteList } from "./routes.ts";
import { connectionLimits } from "./server-limits.ts";
import { httpListeners, SharedListener } from "./shared-listener.ts";
import { compileFieldFilter } from "./unexpected-fields.ts";

interface Binding {
  /** Name of the server in the config, for messages about the address. */
  readonly serverName: string;
  /** The server that answers on the address. */
  readonly server: HttpServer;
  /** The address, which no other server of the config may have. */
  readonly address: ListenAddress;
  /** Performs the TLS handshakes on the address; undefined: no TLS. */
  readonly tls: TlsAcceptor | undefined;
  /** The protocols that the address serves: `h1`, `h2`, `h2c`, `h3`. */
  readonly protocols: readonly string[];
}

/** The configured protocols that the address supports: some need TLS, `h2c` needs plain connections. */
function spokenProtocols(protocols: readonly string[], { address, secure }: PlannedAddress): string[] {
  const over = secure ? ["h1", "h2", ...(address.network === "tcp" ? ["h3"] : [])] : ["h1", "h2c"];
  return protocols.filter((name) => over.includes(name));
}

/** @throws ServerError MODULE_CONFIG for a policy that is supported only over TCP so far */
function checkForQuic({ beyondQuic }: TlsAcceptor): void {
  if (beyondQuic !== "") {
    const where = `connection policy ${beyondQuic}`;
    throw new ServerError(
      "MODULE_CONFIG",
      `${where} is not supported with HTTP/3: leave h3 out of protocols`,
    );
  }
}

/** The UDP port of an HTTPS listener; opened when a config enables HTTP/3. */
const http3Listeners: ResourceKind<Http3Listener> = { name: "http3.listener" };

/**
 * Routes with the redirects of automatic HTTPS. Redirects follow the last route that names hosts, and precede the
 * routes for all hosts; the redirect for any host is last. Source: Caddy 2.11
 */
function withRedirects({ config, redirects, catchAll }: PlannedServer): RouteConfig[] {
  const routes: readonly RouteConfig[] = config.routes ?? [];
  const last = routes.findLastIndex((route) => route.match?.some((set) => Object.hasOwn(set, "host")));
  return [
    ...routes.slice(0, last + 1),
    ...redirects,
    ...routes.slice(last + 1),
    ...(catchAll === undefined ? [] : [catchAll]),
  ];
}

/**
 * The app `http`: servers with listeners and routes. The app needs only its config, so it can run in any thread.
 *
 * | Step | Does | On failure |
 * |---|---|---|
 * | `provision` | loads routes and TLS policies of each server | the config is refused |
 * | `validate` | no address is named twice | the config is refused |
 * | `start` | opens ports, requests certificates; the old config still serves | the config is refused; its new ports close |
 * | `activate` | requests go to these servers from now on | cannot fail |
 * | `stop` | releases ports, waits for running requests | cut after `grace_period` |
 */
class HttpApp implements App {
  readonly #config: HttpAppConfig;
  readonly #context: ModuleContext;
  readonly #servers = new Map<string, HttpServer>();
  /** Addresses in the order of the config. */
  readonly #bindings: Binding[] = [];
  /** Open listeners, by the index of their binding. A newer config with the same address keeps the port open. */
  readonly #leases: Lease<SharedListener>[] = [];
  /** Open HTTP/3 listeners, by the index of their binding. */
  readonly #http3 = new Map<number, Lease<Http3Listener>>();
  /** Names of each server for which certificates are requested. */
  readonly #wanted: Omit<ManageRequest, "wildcards">[] = [];
  /** True once the config was activated. If it was never activated, its ports are closed without `shutdown_delay`. */
  #active = false;
  /** Requests certificates from the main thread; undefined when no server uses TLS. */
  #certificates: CertificateSource | undefined;
  /** Undefined when no server uses TLS. */
  #handshakeEvents: HandshakeEvents | undefined;

  constructor(config: HttpAppConfig, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
  }

  get listensOn(): string[] {
    return this.#bindings.map(({ address }) => formatListenAddress(address));
  }

  /** @throws ServerError with the name of the server */
  async provision(): Promise<void> {
    for (const plan of planAutomaticHttps(this.#config)) {
      const { name } = plan;
      try {
        const server = await this.#loadServer(plan);
        this.#servers.set(name, server);
        const configured = protocolsByAddress(plan.config);
        const acceptors = new Map<string, TlsAcceptor>();
        for (const [index, planned] of plan.addresses.entries()) {
          const { address, secure } = planned;
          const protocols = spokenProtocols(configured[index] ?? [], planned);
          let tls: TlsAcceptor | undefined;
          if (secure) {
            const kind = protocols.filter((name) => name !== "h3").join();
            tls = acceptors.get(kind) ?? (await this.#loadTls(plan, protocols));
            acceptors.set(kind, tls);
          }
          if (tls !== undefined && protocols.includes("h3")) {
            checkForQuic(tls);
          }
          this.#bindings.push({ serverName: name, server, address, tls, protocols });
        }
        if (acceptors.size > 0) {
          const { automatic_https: auto } = plan.config;
          const ignoreLoaded = auto?.ignore_loaded_certificates === true;
          this.#wanted.push({ names: plan.names, ignoreLoaded });
        }
      } catch (error) {
        throw errorWithin(`provision http: server ${name}`, error);
      }
    }
  }

  validate(): void {
    const claimed = new Map<string, string>();
    for (const { serverName, address } of this.#bindings) {
      const key = formatListenAddress(address);
      const other = claimed.get(key);
      if (other !== undefined) {
        const where = `${address.network}/${key}`;
        throw new ServerError(
          "MODULE_CONFIG",
          `http: invalid configuration: server ${serverName}: listener address repeated: ${where} (already claimed by server '${other}')`,
        );
      }
      claimed.set(key, serverName);
    }
  }

  async start(): Promise<void> {
    await this.#startTls();
    for (const [index, { server, address, tls, protocols }] of this.#bindings.entries()) {
      const key = formatListenAddress(address);
      const plainHttp2 = protocols.includes("h2c");
      try {
        const open = () =>
          SharedListener.open(address, {
            limits: server.limits,
            log: this.#log,
            ports: this.#context.ports,
            tls,
            plainHttp2,
            serveHttp2: (socket, owner, now) => new H2Connection(socket, owner, now),
          });
        const lease = await this.#context.acquire(httpListeners, key, open);
        this.#leases.push(lease);
        if (protocols.includes("h3") && address.network === "tcp" && tls !== undefined) {
          const udp: UdpAddress = { network: "udp", host: address.host, port: lease.value.port };
          this.#http3.set(index, await this.#openHttp3(key, udp, server, tls));
        }
      } catch (error) {
        throw errorWithin(`listening on ${key}`, error);
      }
    }
  }

  activate(): void {
    for (const [index, { server, tls, protocols }] of this.#bindings.entries()) {
      this.#leases[index]?.value.switchTo(server, tls, protocols.includes("h2c"));
      const http3 = this.#http3.get(index)?.value;
      if (http3 !== undefined && tls !== undefined) {
        server.addHttp3Port(http3.port);
        http3.switchTo(server, tls, this.#context.messages);
      }
    }
    this.#active = true;
    this.#context.messages.on(listenersTopic, () => this.#describeListeners());
    this.#context.messages.on(routeFiguresTopic, () => this.#readRoutes());
    this.#context.messages.on(rehearsalTopic, (request) => this.#rehearse(request as RehearsalRequest));
  }

  async stop(): Promise<void> {
    await this.#delayShutdown();
    // Ports are released first: ports that only this config uses are closed immediately, and ports that a newer config
    // also uses stay open.
    const released = [...this.#leases, ...this.#http3.values()].map((lease) => lease.release());
    const grace = this.#config.grace_period ?? 0;
    const drained = [...this.#servers.values()].map((server) =>
      server.drain(grace === 0 ? undefined : grace),
    );
    await Promise.all([...released, ...drained]);
  }

  /** Keeps ports open for `shutdown_delay`, so that load balancers notice the coming stop. */
  async #delayShutdown(): Promise<void> {
    const delayMs = this.#config.shutdown_delay ?? 0;
    const closing = this.#bindings.filter((_, index) => this.#leases[index]?.isShared === false);
    if (delayMs === 0 || !this.#active || closing.length === 0) {
      return;
    }
    this.#log.info(`${closing.length} listeners close in ${delayMs} ms`);
    for (const { server } of closing) {
      server.shutdownAt = Date.now() + delayMs;
    }
    await sleep(delayMs);
  }

  #describeListeners(): ListenerState[] {
    return this.#bindings.flatMap(({ serverName, tls, protocols }, index) => {
      const listener = this.#leases[index]?.value;
      return listener === undefined
        ? []
        : [
            {
              address: listener.address,
              server: serverName,
              tls: tls !== undefined,
              protocols,
              connections: listener.connectionCount + (this.#http3.get(index)?.value.connectionCount ?? 0),
            },
          ];
    });
  }

  /** @param key name of the TCP listener on the same address. @throws ServerError LISTEN */
  async #openHttp3(
    key: string,
    address: UdpAddress,
    { limits }: HttpServer,
    tls: TlsAcceptor,
  ): Promise<Lease<Http3Listener>> {
    // Imported only when needed, because few servers enable HTTP/3.
    const { Http3Listener } = await import("./h3/h3-listener.ts");
    const { ports, messages, processShared: shared } = this.#context;
    return this.#context.acquire(http3Listeners, key, () =>
      Http3Listener.open(address, { limits, tls, log: this.#log, ports, messages, shared }),
    );
  }

  /** Counts of all routes, for the admin API. */
  #readRoutes(): RouteReading[] {
    return [...this.#servers].flatMap(([name, server]) => [...server.routeReadings(`servers/${name}`)]);
  }

  /** Simulates a request at the server that listens where the request would arrive. */
  #rehearse(request: RehearsalRequest): RehearsalReport {
    const { http_port: httpPort, https_port: httpsPort } = this.#config;
    const isSecure = request.scheme === "https";
    const port = request.port ?? (isSecure ? (httpsPort ?? defaultHttpsPort) : (httpPort ?? defaultHttpPort));
    const listeners = this.#describeListeners();
    const taker = listeners.find(({ address, tls }) => address.endsWith(`:${port}`) && tls === isSecure);
    const server = taker && this.#servers.get(taker.server);
    if (server === undefined) {
      return {
        ...{ server: undefined, listeners: listeners.map(({ address, tls }) => ({ address, tls })) },
        ...{ routes: [], passed: [], passedCount: 0, headers: [] },
        ...{ answeredBy: undefined, status: undefined, failure: undefined },
      };
    }
    const path = `servers${formatJsonPointer([taker?.server ?? ""])}`;
    return { server: taker?.server, listeners: [], ...rehearseRequest(server, { ...request, port }, path) };
  }

  get #log(): Logger {
    return this.#context.log;
  }

  async #loadTls({ name, config }: PlannedServer, spoken: readonly string[]): Promise<TlsAcceptor> {
    const context = this.#context;
    const protocols = [
      ...(spoken.includes("h2") ? ["h2"] : []),
      ...(spoken.includes("h1") ? ["http/1.1"] : []),
    ];
    this.#certificates ??= new CertificateSource(context.messages);
    this.#handshakeEvents ??= new HandshakeEvents(context.messages);
    const policies: ConnectionPolicy[] = [];
    const configs = config.tls_connection_policies ?? [];
    for (const [position, policy] of (configs.length > 0 ? configs : [{}]).entries()) {
      const path = `servers/${name}/tls_connection_policies/${position}`;
      try {
        policies.push(await ConnectionPolicy.load(policy, context, path, protocols));
      } catch (error) {
        throw errorWithin(`connection policy ${position}`, errorAt(`${context.path}/${path}`, error));
      }
    }
    const events = this.#handshakeEvents;
    return new TlsAcceptor(policies, {
      source: this.#certificates,
      events,
      messages: context.messages,
      log: this.#log,
    });
  }

  /**
   * Requests certificates and ticket keys from the main thread, and finds out whether handshakes emit events. @throws
   * ServerError
   */
  async #startTls(): Promise<void> {
    for (const shown of this.#context.resources(clientCertificates)) {
      await shown.load();
    }
    if (this.#certificates === undefined) {
      return;
    }
    await this.#certificates.loadTicketKeys();
    await this.#handshakeEvents?.load();
    const wildcards = this.#wanted.flatMap(({ names }) => names.filter((name) => name.startsWith("*")));
    for (const wanted of this.#wanted) {
      const request: ManageRequest = { ...wanted, wildcards };
      await this.#context.messages.askMain(certificateTopics.manage, request);
    }
  }

  async #loadServer(planned: PlannedServer): Promise<HttpServer> {
    const { name, config } = planned;
    const context = this.#context;
    const path = `servers/${name}`;
    const observer = await this.#observer(name);
    const namedRoutes = new Map<string, RouteList>();
    for (const [routeName, route] of Object.entries(config.named_routes ?? {})) {
      namedRoutes.set(
        routeName,
        await loadRoutes([route], context, `${path}/named_routes/${routeName}`, observer),
      );
    }
    const { trusted_proxies: trusted } = config;
    const { metrics } = context;
    // The newest logs belong to the config that is being built.
    const logs = context.resources(logSets).at(-1) ?? new LogSet([]);
    const tally = await context.acquire(responseTallies, name, () => new ResponseTally(name, metrics));
    return new HttpServer({
      underWay: await this.#underWay(),
      tally: tally.value,
      hasUserModules: context.hasUserModules,
      limits: connectionLimits(config),
      allowsEarlyData: config.allow_0rtt !== false,
      routes: await loadRoutes(withRedirects(planned), context, `${path}/routes`, observer),
      errorRoutes: config.errors
        ? await loadRoutes(config.errors.routes ?? [], context, `${path}/errors/routes`)
        : undefined,
      namedRoutes,
      clientAddress: {
        trusted: trusted
          ? await context.loadInline(ipSources, "source", trusted as JsonValue, `${path}/trusted_proxies`)
          : undefined,
        headers: config.client_ip_headers ?? ["X-Forwarded-For"],
        strict: config.trusted_proxies_strict === 1,
        trustUnix: config.trusted_proxies_unix === true,
      },
      fieldFilter: compileFieldFilter([
        ...(config.expected_underscore_headers ?? []),
        ...(config.expected_dot_headers ?? []),
      ]),
      strictHost:
        config.strict_sni_host ??
        config.tls_connection_policies?.some((policy) => policy.client_authentication) ??
        false,
      answerChallenge: async (request) =>
        (await context.messages.askMain(certificateTopics.httpChallenge, request)) as string | undefined,
      wrappers: await loadListenerWrappers(config.listener_wrappers, context, `${path}/listener_wrappers`),
      log: this.#log,
      logAccess: config.logs ? compileAccessLog(config.logs, logs) : undefined,
      logError: compileErrorLog(config.logs, logs),
      logHandler: config.logs?.trace === true ? compileHandlerLog(logs) : undefined,
    });
  }

  /** @returns undefined in the main thread, whose end also ends the process that would log the requests */
  async #underWay(): Promise<RequestsUnderWay | undefined> {
    const { messages, processShared } = this.#context;
    if (messages.thread === 0) {
      return undefined;
    }
    const memory = await processShared.memory(underWayName(messages.thread), underWayBytes);
    const lease = await this.#context.acquire(requestsUnderWay, "", () => new RequestsUnderWay(memory));
    return lease.value;
  }

  /** @returns undefined when the config enables no metrics of routes */
  async #observer(name: string): Promise<RouteObserver | undefined> {
    const plan = planRouteMetrics(this.#config);
    if (plan === undefined) {
      return undefined;
    }
    const { metrics } = this.#context;
    const perHost = plan.hosts !== undefined;
    const tally = await this.#context.acquire(
      routeTallies,
      `${perHost ? "hosts" : "all"}/${name}`,
      () => new RouteTally(name, perHost, metrics),
    );
    return new RouteObserver(tally.value, plan.hosts);
  }
}

export const httpApp = defineModule({
  id: "http",
  inWorkers: true,
  config: httpAppSchema,
  async provision(config, context) {
    const app = new HttpApp(config, context);
    await app.provision();
    return app;
  },
});
