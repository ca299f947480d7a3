import { requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";

/**
 * `POST /stop`: responds, and then ends the process. The client gets 200 before the process ends, so the response does
 * not mean that the process has exited.
 * @param stop starts the end; called after the response was sent
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
