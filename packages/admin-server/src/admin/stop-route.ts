import { requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";

/**
 * `POST /stop`: answers, then ends the process.
 * The client gets 200 before anything ends, so it cannot tell from the answer when the process is gone.
 * @param stop begins the end; called when the answer was sent
 */
export function stopRoute(stop: () => void): AdminRoute {
  return {
    path: "/stop",
    handle(request) {
      requireMethod(request, "POST");
      return { status: 200, afterwards: stop };
    },
  };
}
