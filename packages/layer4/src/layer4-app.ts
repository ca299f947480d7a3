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

interface Binding {
  readonly serverName: string;
  readonly server: Layer4Server;
  readonly address: ListenAddress;
}

/** The addresses of a server. @throws ServerError MODULE_CONFIG */
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

  get listensOn(): string[] {
    return this.#bindings.map(({ address }) => formatListenAddress(address));
  }

  /** @throws ServerError saying which server */
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

  activate(): void {
    for (const [index, { server }] of this.#bindings.entries()) {
      this.#leases[index]?.value.switchTo(server);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#leases.map((lease) => lease.release()));
    await Promise.all(this.#bindings.map(({ server }) => server.drain()));
  }
}

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
