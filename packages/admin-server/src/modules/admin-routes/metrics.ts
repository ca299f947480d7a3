import { z } from "zod";
import { requireMethod } from "../../admin/admin-message.ts";
import type { AdminRoute } from "../../admin/admin-route.ts";
import { defineModule } from "../../core/modules/module.ts";
import { allMetrics, type MetricsForm } from "../../core/threads/all-metrics.ts";

/** Topic by which the handler `metrics`, in whichever thread, asks for those of all threads, in a `MetricsForm`. */
export const metricsTopic = "http.handlers.metrics/read";

/** `GET /metrics`: Prometheus text. */
export const metricsRoute = defineModule({
  id: "admin.api.metrics",
  config: z.strictObject({}),
  provision(_config, context): AdminRoute {
    context.messages.on(metricsTopic, (form) =>
      allMetrics(context.metrics, context.messages, form as MetricsForm),
    );
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
