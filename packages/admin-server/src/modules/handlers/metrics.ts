import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { HttpHandler } from "../../http/handler.ts";
import { metricsTopic } from "../admin-routes/metrics.ts";

/** Answers with the metrics of the server as Prometheus text. For sites that only the right people reach. */
export const metrics = defineModule({
  id: "http.handlers.metrics",
  config: z.strictObject({
    disable_openmetrics: z.boolean().nullish().describe("Accepted; the format is Prometheus text always."),
  }),
  provision(_config, context): HttpHandler {
    return {
      async handle(exchange) {
        const text = String(await context.messages.askMain(metricsTopic, null));
        exchange.responseHeaders.push("Content-Type", context.metrics.contentType);
        exchange.responseHeaders.push("Content-Length", String(Buffer.byteLength(text)));
        exchange.respond(200, exchange.method === "HEAD" ? "" : text);
      },
    };
  },
});
