import type { Logger } from "lifecycle";
import { errorWithin, ServerError } from "../core/errors.ts";
import type { JsonValue } from "../core/json/json-value.ts";
import {
  formatListenAddress,
  type ListenAddress,
  parseListenAddress,
} from "../core/listen/listen-address.ts";
import { type App, defineModule } from "../core/modules/module.ts";
import type { ModuleContext } from "../core/modules/module-context.ts";
import type { Lease } from "../core/modules/usage-pool.ts";
import { compileAccessLog } from "../modules/logging/access/access-log.ts";
import { logSets } from "../modules/logging/logging.ts";
import type { Exchange } from "./exchange.ts";
import { type HttpAppConfig, type HttpServerConfig, httpAppSchema } from "./http-config.ts";
import { connectionLimits, HttpServer } from "./http-server.ts";
import { ipSources } from "./ip-source.ts";
import { loadRoutes, type RouteList } from "./routes.ts";
import { httpListeners, SharedListener } from "./shared-listener.ts";
import { compileFieldFilter } from "./unexpected-fields.ts";

const defaultHttpPort = 80;
const defaultHttpsPort = 443;
/** In a line of the log. */
const maxShownNames = 5;

interface Binding {
  readonly serverName: string;
  readonly server: HttpServer;
  readonly address: ListenAddress;
}

/** Some host names that the public model would serve over HTTPS, on another port than that of plain HTTP too. */
function firstHostNames(config: HttpServerConfig): string[] {
  const names: string[] = [];
  for (const route of config.routes ?? []) {
    for (const { host } of route.match ?? []) {
      names.push(...(Array.isArray(host) ? host.map(String) : []));
    }
    if (names.length >= maxShownNames) {
      break;
    }
  }
  return names.slice(0, maxShownNames);
}

/** The app `http`: servers with listeners and routes. Needs nothing but its config, so it can run in any thread. */
class HttpApp implements App {
  readonly #config: HttpAppConfig;
  readonly #context: ModuleContext;
  readonly #servers: HttpServer[] = [];
  readonly #bindings: Binding[] = [];
  readonly #leases: Lease<SharedListener>[] = [];

  constructor(config: HttpAppConfig, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
  }

  /** @throws ServerError saying which server */
  async provision(): Promise<void> {
    for (const [name, config] of Object.entries(this.#config.servers ?? {})) {
      try {
        const server = await this.#loadServer(name, config);
        this.#servers.push(server);
        for (const address of (config.listen ?? []).flatMap((text) => parseListenAddress(text))) {
          this.#refuseHttps(config, address);
          this.#bindings.push({ serverName: name, server, address });
        }
        this.#noteAutomaticHttps(name, config);
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
    for (const { server, address } of this.#bindings) {
      const key = formatListenAddress(address);
      try {
        const open = () => SharedListener.open(address, server.limits, this.#log, this.#context.ports);
        this.#leases.push(await this.#context.acquire(httpListeners, key, open));
      } catch (error) {
        throw errorWithin(`listening on ${key}`, error);
      }
    }
  }

  activate(): void {
    for (const [index, { server }] of this.#bindings.entries()) {
      this.#leases[index]?.value.switchTo(server);
    }
  }

  async stop(): Promise<void> {
    // First the ports: what only this config had is closed at once, what a newer one has too stays open.
    await Promise.all(this.#leases.map((lease) => lease.release()));
    const grace = this.#config.grace_period ?? 0;
    await Promise.all(this.#servers.map((server) => server.drain(grace === 0 ? undefined : grace)));
  }

  get #log(): Logger {
    return this.#context.log;
  }

  async #loadServer(name: string, config: HttpServerConfig): Promise<HttpServer> {
    const context = this.#context;
    const path = `servers/${name}`;
    const namedRoutes = new Map<string, RouteList>();
    for (const [routeName, route] of Object.entries(config.named_routes ?? {})) {
      namedRoutes.set(routeName, await loadRoutes([route], context, `${path}/named_routes/${routeName}`));
    }
    const { trusted_proxies: trusted } = config;
    return new HttpServer({
      limits: connectionLimits(config),
      routes: await loadRoutes(config.routes ?? [], context, `${path}/routes`),
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
      log: this.#log,
      logAccess: this.#accessLog(config),
    });
  }

  #accessLog(config: HttpServerConfig): ((exchange: Exchange) => void) | undefined {
    // The newest logs are those of the config that is being built.
    const logs = this.#context.resources(logSets).at(-1);
    return config.logs && logs !== undefined ? compileAccessLog(config.logs, logs) : undefined;
  }

  #refuseHttps(config: HttpServerConfig, address: ListenAddress): void {
    const httpsPort = this.#config.https_port ?? defaultHttpsPort;
    if (address.network === "tcp" && address.port === httpsPort && config.automatic_https?.disable !== true) {
      throw new ServerError(
        "MODULE_CONFIG",
        `listener address ${formatListenAddress(address)}: HTTPS is not supported yet; choose another port, or set automatic_https.disable to serve plain HTTP there`,
      );
    }
  }

  #noteAutomaticHttps(name: string, config: HttpServerConfig): void {
    const httpPort = this.#config.http_port ?? defaultHttpPort;
    const elsewhere = (config.listen ?? [])
      .flatMap((text) => parseListenAddress(text))
      .some((address) => address.network === "tcp" && address.port !== httpPort);
    const names = firstHostNames(config);
    if (elsewhere && names.length > 0 && config.automatic_https?.disable !== true) {
      this.#log.warn(
        `server ${name}: automatic HTTPS is not supported yet, serving plain HTTP for ${names.join(", ")}`,
      );
    }
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
