import type { AdapterRegistry } from "../core/adapters/adapter-registry.ts";
import type { ConfigEngine } from "../core/engine/config-engine.ts";
import type { ConfigHistory } from "../core/history/config-history.ts";
import type { AdminRoute } from "./admin-route.ts";
import { configRoute, idRoute } from "./config-routes.ts";
import { historyRoutes } from "./history-routes.ts";
import { adaptRoute, loadRoute } from "./load-routes.ts";
import { stopRoute } from "./stop-route.ts";

export interface StandardRouteParts {
  readonly engine: ConfigEngine;
  readonly adapters: AdapterRegistry;
  readonly history: ConfigHistory;
  /** Begins the end of the process. */
  readonly stop: () => void;
}

/** What the admin endpoint answers by itself; modules of the namespace `admin.api` add to it. */
export function standardRoutes({ engine, adapters, history, stop }: StandardRouteParts): AdminRoute[] {
  return [
    configRoute(engine),
    idRoute(engine),
    loadRoute(engine, adapters),
    adaptRoute(adapters),
    stopRoute(stop),
    ...historyRoutes(engine, history),
  ];
}
