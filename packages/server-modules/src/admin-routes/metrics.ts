import { requireMethod } from "server-core/admin/admin-message";
import type { AdminRoute } from "server-core/admin/admin-route";
import { defineModule } from "server-core/modules/module";
import { allMetrics, type MetricsForm } from "server-core/threads/all-metrics";
import { z } from "zod";
import { metricsTopic } from "../handlers/metrics/metrics-topic.ts";

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
