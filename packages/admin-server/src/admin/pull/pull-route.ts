import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigPuller } from "./config-puller.ts";

/**
 * `GET /pull`: how it went to fetch the config from its source; null where the running one has none.
 * It holds no secret: `url` has neither password nor query.
 */
export function pullRoute(puller: ConfigPuller): AdminRoute {
  return {
    path: "/pull",
    handle(request) {
      requireMethod(request, "GET");
      const { state } = puller;
      return jsonReply(200, state === undefined ? null : { ...state });
    },
  };
}
