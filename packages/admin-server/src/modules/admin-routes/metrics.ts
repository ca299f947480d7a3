import { z } from "zod";
import { requireMethod } from "../../admin/admin-message.ts";
import type { AdminRoute } from "../../admin/admin-route.ts";
import { defineModule } from "../../core/modules/module.ts";
import { allMetrics } from "../../core/threads/all-metrics.ts";

/** `GET /metrics`: Prometheus text. */
export const metricsRoute = defineModule({
  id: "admin.api.metrics",
  config: z.strictObject({}),
  provision(_config, context): AdminRoute {
    return {
      path: "/metrics",
      async handle(request) {
        requireMethod(request, "GET");
        const { metrics, messages } = context;
        return {
          status: 200,
          headers: { "Content-Type": metrics.contentType },
          body: await allMetrics(metrics, messages),
        };
      },
    };
  },
});
