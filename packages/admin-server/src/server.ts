// Order of start and end:
//
// | step | effect |
// |---|---|
// | `new Server` | worker threads start; no port is open |
// | `create` | history is read, admin routes are loaded |
// | `engine.load` | ports open; apps start in the main thread and in workers |
// | `stop` | requests end, apps stop, workers end, history is closed |

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Registry } from "@prometheus-io/client";
import { MetricsPushParticipant } from "http-engine/metrics-push/metrics-push-participant";
import type { Logger } from "lifecycle";
import { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { adminAddressOf } from "server-core/admin/admin-address";
import { adminRoutes } from "server-core/admin/admin-route";
import { AppsParticipant } from "server-core/engine/apps";
import { Autosave, autosavePath, type Environment } from "server-core/engine/autosave";
import { ConfigEngine } from "server-core/engine/config-engine";
import { ConfigMetrics } from "server-core/engine/config-metrics";
import type { Workers } from "server-core/engine/workers";
import { ConfigHistory } from "server-core/history/config-history";
import { dataFolder } from "server-core/history/data-folder";
import { HistoryFiles } from "server-core/history/history-files";
import type { ListenAddress } from "server-core/listen/listen-address";
import { ProcessLogForwarder, processLogForwarder } from "server-core/logging/process-log-forwarder";
import { ConfigContext } from "server-core/modules/config-context";
import { ConfigScope, type ServerServices } from "server-core/modules/config-scope";
import { PartCache } from "server-core/modules/part-cache";
import { UsagePool } from "server-core/modules/usage-pool";
import { PasswordChecker } from "server-modules/passwords/password-checker";
import { adminSchema } from "./admin/admin-config.ts";
import { AdminEndpoint } from "./admin/admin-endpoint.ts";
import { AdminHandler } from "./admin/admin-handler.ts";
import { AdminMetrics } from "./admin/admin-metrics.ts";
import { recordChanges } from "./admin/history-recorder.ts";
import { IdentityCertificates, identityCertificates } from "./admin/identity/identity-certificates.ts";
import { ConfigPuller } from "./admin/pull/config-puller.ts";
import { RemoteAdminEndpoint } from "./admin/remote/remote-admin-endpoint.ts";
import { standardRoutes } from "./admin/standard-routes.ts";
import { allModules } from "./all-modules.ts";
import { standardAdapters } from "./standard-adapters.ts";
import { openThreads, type WorkerThreadOptions } from "./worker/open-threads.ts";

/** Folder of the built console. `SERVER_UI_FOLDER` names another folder. */
const builtInConsoleFolder = fileURLToPath(new URL("../../admin-ui/dist", import.meta.url));

/** Data and functions that the server needs from its process; tests pass their own. */
export interface ServerOptions {
  /** Environment variables, such as `SERVER_ADMIN` and `XDG_DATA_HOME`. */
  readonly environment: Environment;
  /** Log of the process until a config redirects it. */
  readonly log: Logger;
  /** Receives the lines of `log` when a config redirects them; absent: the log is never redirected. */
  readonly processLogForwarder?: ProcessLogForwarder;
  /** Registry for the metrics of all parts, which `/metrics` shows. */
  readonly metrics: Registry;
  /** Called when a client asks the server to stop. */
  readonly onStopRequest: () => void;
  /** Options of the threads that serve traffic; absent: the main thread serves traffic. */
  readonly workers?: WorkerThreadOptions | undefined;
  /** True: roots of CAs with `install_trust` are installed into the machine's trust stores. Default: false. */
  readonly changesTrustStores?: boolean;
}

/** The whole server: config engine, admin endpoint, apps. No app runs before the first `load`. */
export class Server {
  /** Engine that holds the running config. All changes of the config pass through the engine, one at a time. */
  readonly engine: ConfigEngine;
  /** The file that `run --resume` reads. */
  readonly autosave: Autosave;
  /** Services shared by the modules of every config. */
  readonly services: ServerServices;
  /** Worker threads; undefined when the main thread serves traffic. */
  readonly workers: Workers | undefined;
  /** Adapters for formats other than JSON. */
  readonly adapters = new AdapterRegistry(standardAdapters);
  readonly history: ConfigHistory;
  readonly #admin: AdminEndpoint;
  readonly #identity = new IdentityCertificates();
  readonly #remoteAdmin: RemoteAdminEndpoint;
  readonly #puller: ConfigPuller;
  readonly #scope: ConfigScope;
  readonly #passwords: PasswordChecker;

  private constructor(options: ServerOptions) {
    const { environment, log, metrics } = options;
    const registry = allModules();
    const threads = openThreads(log, options.workers, dataFolder(environment), (thread) =>
      this.#passwords.forgetThread(thread),
    );
    this.#passwords = new PasswordChecker(threads.messages, metrics, log);
    this.services = {
      registry,
      pool: new UsagePool(),
      parts: new PartCache(),
      log,
      metrics,
      shared: threads.shared,
      messages: threads.messages,
      ports: threads.ports,
      dataFolder: dataFolder(environment),
      changesTrustStores: options.changesTrustStores === true,
    };
    this.workers = threads.workers;
    this.autosave = new Autosave(autosavePath(environment));
    this.#admin = new AdminEndpoint(adminAddressOf(environment), log);
    this.#remoteAdmin = new RemoteAdminEndpoint(this.#identity, log);
    this.#puller = new ConfigPuller(this.adapters, this.#identity, log);
    this.history = new ConfigHistory(new HistoryFiles(join(dataFolder(environment), "history")), log);
    this.#scope = new ConfigScope(this.services);
    const metricsPush = new MetricsPushParticipant(this.services);
    this.engine = new ConfigEngine({
      registry,
      participants:
        threads.workers === undefined
          ? [this.#puller, this.#admin, this.#remoteAdmin, new AppsParticipant(this.services), metricsPush]
          : [
              this.#puller,
              this.#admin,
              this.#remoteAdmin,
              new AppsParticipant(this.services, "main"),
              threads.workers,
              metricsPush,
            ],
      autosave: this.autosave,
      metrics: new ConfigMetrics(metrics),
      adminSchema,
      log,
    });
  }

  /** Prepares a server. @throws ServerError for a module whose route fails */
  static async create(options: ServerOptions): Promise<Server> {
    const server = new Server(options);
    await server.history.open();
    await server.services.pool.acquire(identityCertificates, "", () => server.#identity);
    await server.services.pool.acquire(
      processLogForwarder,
      "",
      () => options.processLogForwarder ?? new ProcessLogForwarder(),
    );
    server.engine.onChange(recordChanges(server.history));
    const context = new ConfigContext(server.#scope, "admin.api");
    const routes = standardRoutes({
      engine: server.engine,
      adapters: server.adapters,
      history: server.history,
      puller: server.#puller,
      registry: server.services.registry,
      consoleFolder: options.environment.SERVER_UI_FOLDER || builtInConsoleFolder,
      messages: server.services.messages,
      shared: server.services.shared,
      workers: server.workers,
      log: options.log,
      stop: options.onStopRequest,
    });
    for (const name of server.services.registry.names(adminRoutes)) {
      routes.push(await context.load(adminRoutes, name, {}, name));
    }
    const handler = new AdminHandler(routes, new AdminMetrics(options.metrics));
    server.#admin.use(handler);
    server.#remoteAdmin.use(handler);
    server.#puller.use(server.engine);
    return server;
  }

  /** Address of the admin endpoint; undefined before the first load, and while the endpoint is disabled. */
  get adminAddress(): ListenAddress | undefined {
    return this.#admin.address;
  }

  /** Address of the remote admin endpoint; undefined while the endpoint is closed. */
  get remoteAdminAddress(): ListenAddress | undefined {
    return this.#remoteAdmin.address;
  }

  /** Finishes running requests, then closes everything. @throws ServerError */
  async stop(): Promise<void> {
    await this.engine.stop();
    await this.history.close();
    await this.#scope.close();
    await this.#passwords.close();
  }
}
