import { jsonReply, requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import type { ConfigPuller } from "./config-puller.ts";

/**
 * `GET /pull`: state of the last fetch; null if the running config has no setting for fetching. The response has no
 * secrets: `url` has neither password nor query.
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
