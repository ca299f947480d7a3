import type { HttpHandler } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { tracingSchema } from "./tracing-config.ts";

/**
 * Creates a SERVER span around the later handlers, and a CLIENT span for each call to an upstream. It reads and
 * forwards W3C trace context; the access log entry gets `traceID` and `spanID`. Spans are sent in the background, so no
 * request waits or fails because of them.
 */
export const tracing = defineModule({
  id: "http.handlers.tracing",
  config: tracingSchema,
  async provision(config, context): Promise<HttpHandler> {
    const { traceRequests } = await import("./trace-requests.ts"); // loaded on first use: it takes half of a start
    return traceRequests(config, context);
  },
});
