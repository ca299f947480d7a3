import { requireMethod } from "./admin-message.ts";
import type { AdminRoute } from "./admin-route.ts";

/** `POST /stop`: answers, then ends the process. @param stop begins the end; called when the answer was sent */
export function stopRoute(stop: () => void): AdminRoute {
  return {
    path: "/stop",
    handle(request) {
      requireMethod(request, "POST");
      return { status: 200, afterwards: stop };
    },
  };
}
