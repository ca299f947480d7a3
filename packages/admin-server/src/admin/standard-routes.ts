import type { Logger } from "lifecycle";
import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigEngine } from "server-core/engine/config-engine";
import type { Workers } from "server-core/engine/workers";
import type { ConfigHistory } from "server-core/history/config-history";
import type { ModuleRegistry } from "server-core/modules/module-registry";
import type { SharedState } from "server-core/threads/shared-state";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import { configRoutes } from "./config-routes.ts";
import { consoleRoute } from "./console/console-route.ts";
import { profileRoutes } from "./debug/profile-routes.ts";
import { varsRoute } from "./debug/vars-route.ts";
import { historyRoutes } from "./history-routes.ts";
import { adaptRoute, loadRoute } from "./load-routes.ts";
import { mcpRoute } from "./mcp/mcp-route.ts";
import { openapiRoute } from "./openapi/openapi-route.ts";
import type { ConfigPuller } from "./pull/config-puller.ts";
import { pullRoute } from "./pull/pull-route.ts";
import { httpRoutesRoute } from "./routes/http-routes.ts";
import { rehearsalRoute } from "./routes/rehearsal-route.ts";
import { schemaRoutes } from "./schema-routes.ts";
import { stopRoute } from "./stop-route.ts";
import { validateRoute } from "./validate-route.ts";

/** Parts of the process that the standard routes need. */
export interface StandardRouteParts {
  /** Engine that holds the running config and changes it. */
  readonly engine: ConfigEngine;
  /** Formats of configs other than JSON, by name and media type. */
  readonly adapters: AdapterRegistry;
  /** Stored earlier configs, each with author and time. */
  readonly history: ConfigHistory;
  /** Fetches the config from the source in `admin.config.load`. */
  readonly puller: ConfigPuller;
  /** Registry of all modules that the server contains. */
  readonly registry: ModuleRegistry;
  /** Folder of the built console. */
  readonly consoleFolder: string;
  /** Sends messages to the serving threads. */
  readonly messages: ThreadMessages;
  /** Counters, gauges and memory shared by all threads. */
  readonly shared: SharedState;
  /** Worker threads, for profiles; undefined when the main thread serves. */
  readonly workers: Workers | undefined;
  /** Log of the process. */
  readonly log: Logger;
  /** Starts the end of the process. */
  readonly stop: () => void;
}

/** Routes of the admin endpoint itself; modules of the namespace `admin.api` add more. */
export function standardRoutes({
  engine,
  adapters,
  history,
  puller,
  registry,
  consoleFolder,
  messages,
  shared,
  workers,
  log,
  stop,
}: StandardRouteParts): AdminRoute[] {
  return [
    ...configRoutes(engine, adapters),
    loadRoute(engine, adapters),
    adaptRoute(engine, adapters),
    stopRoute(stop),
    ...historyRoutes(engine, history),
    pullRoute(puller),
    ...schemaRoutes(engine, registry),
    httpRoutesRoute(engine, messages, shared),
    rehearsalRoute(engine, messages),
    mcpRoute(engine, log),
    validateRoute(engine, adapters, registry),
    consoleRoute(engine, consoleFolder),
    openapiRoute(),
    varsRoute(),
    ...profileRoutes(workers),
  ];
}
