// A reload goes through these steps, so that no connection is refused:
//
// | step | what happens |
// |---|---|
// | provision | routes and handlers are loaded; nothing listens |
// | validate | addresses used by two servers are refused |
// | start | each address is opened, or shared with the running config |
// | activate | new connections go to this config |
// | stop | addresses without a config are closed; servers wait for their connections |

import { clientCertificates } from "certificates/tls/certificates/client-certificate";
import { errorWithin, ServerError } from "server-core/errors";
import {
  formatListenAddress,
  type ListenAddress,
  parseListenAddress,
} from "server-core/listen/listen-address";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { Lease } from "server-core/modules/usage-pool";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { type Layer4Config, type Layer4ServerConfig, layer4Schema } from "./layer4-config.ts";
import { Layer4Server } from "./layer4-server.ts";
import { ConnectionListener, connectionListeners } from "./listen/connection-listener.ts";
import { RouteList } from "./routes/routes.ts";

/** One address of one server. */
interface Binding {
  readonly serverName: string;
  readonly server: Layer4Server;
  readonly address: ListenAddress;
}

/**
 * The addresses of a server with placeholders replaced. @throws ServerError MODULE_CONFIG with the address's position
 */
function addressesOf({ listen }: Layer4ServerConfig): ListenAddress[] {
  return (listen ?? []).flatMap((text, position) => {
    try {
      return parseListenAddress(replaceAll(text));
    } catch (error) {
      throw errorWithin(`parsing listener address '${text}' in position ${position}`, error);
    }
  });
}

/** The app `layer4`: servers of raw connections. It runs in every worker thread. */
class Layer4App implements App {
  readonly #config: Layer4Config;
  readonly #context: ModuleContext;
  readonly #bindings: Binding[] = [];
  readonly #leases: Lease<ConnectionListener>[] = [];

  constructor(config: Layer4Config, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
  }

  /** Addresses for the log, one for each server and address. */
  get listensOn(): string[] {
    return this.#bindings.map(({ address }) => formatListenAddress(address));
  }

  /** Loads all routes. @throws ServerError naming the server */
  async provision(): Promise<void> {
    for (const [name, config] of Object.entries(this.#config.servers ?? {})) {
      try {
        const routes = await RouteList.load(config, this.#context, `servers/${name}/routes`);
        const server = new Layer4Server(name, routes, this.#context.log);
        for (const address of addressesOf(config)) {
          this.#bindings.push({ serverName: name, server, address });
        }
      } catch (error) {
        throw errorWithin(`server '${name}'`, error);
      }
    }
  }

  /** @throws ServerError MODULE_CONFIG for an address used by two servers, with the message of caddy-l4 */
  validate(): void {
    const claimed = new Map<string, string>();
    for (const { serverName, address } of this.#bindings) {
      const key = formatListenAddress(address);
      const other = claimed.get(key);
      if (other !== undefined) {
        throw new ServerError(
          "MODULE_CONFIG",
          `layer4: server ${serverName}: listener address repeated: ${address.network}/${key} (already claimed by server '${other}')`,
        );
      }
      claimed.set(key, serverName);
    }
  }

  /** Opens addresses. Connections that arrive now wait for `activate`. @throws ServerError LISTEN */
  async start(): Promise<void> {
    for (const shown of this.#context.resources(clientCertificates)) {
      await shown.load();
    }
    const { ports, log } = this.#context;
    for (const { address } of this.#bindings) {
      const key = formatListenAddress(address);
      try {
        const open = () => ConnectionListener.open(address, { ports, log });
        this.#leases.push(await this.#context.acquire(connectionListeners, key, open));
      } catch (error) {
        throw errorWithin(`listening on ${key}`, error);
      }
    }
  }

  /** Sends new connections to this config. Nothing in it can fail. */
  activate(): void {
    for (const [index, { server }] of this.#bindings.entries()) {
      this.#leases[index]?.value.switchTo(server);
    }
  }

  /** Releases the addresses, and waits for the connections of this config. */
  async stop(): Promise<void> {
    await Promise.all(this.#leases.map((lease) => lease.release()));
    await Promise.all(this.#bindings.map(({ server }) => server.drain()));
  }
}

/** The app `layer4` as a module; each worker thread has an instance. Source: caddy-l4, `layer4.App` */
export const layer4App = defineModule({
  id: "layer4",
  inWorkers: true,
  config: layer4Schema,
  async provision(config, context) {
    const app = new Layer4App(config, context);
    await app.provision();
    return app;
  },
});
