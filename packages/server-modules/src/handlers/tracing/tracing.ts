import type { HttpHandler } from "http-engine/handler";
import { defineModule } from "server-core/modules/module";
import { tracingSchema } from "./tracing-config.ts";

/**
 * Makes each request a SERVER span around the rest of the chain, and the calls to upstreams in it CLIENT spans.
 * Takes and hands on W3C trace context; the request's line in the access log has `traceID` and `spanID`. Sending
 * happens in the background: a request never waits for it, nor fails.
 */
export const tracing = defineModule({
  id: "http.handlers.tracing",
  config: tracingSchema,
  async provision(config, context): Promise<HttpHandler> {
    const { traceRequests } = await import("./trace-requests.ts"); // when it is needed: it takes as long as all else of a start
    return traceRequests(config, context);
  },
});
