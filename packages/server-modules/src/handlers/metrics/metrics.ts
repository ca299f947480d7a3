import type { HttpHandler } from "http-engine/handler";
import { setContentLength } from "http-engine/header-list";
import { defineModule } from "server-core/modules/module";
import { metricsTypes } from "server-core/threads/all-metrics";
import { z } from "zod";
import { metricsTopic } from "./metrics-topic.ts";

/** Quality value of a media type in `Accept`, 0 to 1; 0 when the type is not listed. */
function qualityOf(accept: string, type: string): number {
  const range = accept.split(",").find((each) => each.trim().toLowerCase().startsWith(type));
  return range === undefined ? 0 : Number(/;\s*q=([\d.]+)/.exec(range)?.[1] ?? 1);
}

/** True when the client prefers OpenMetrics to text, as Prometheus does. */
export function prefersOpenMetrics(accept: string): boolean {
  const quality = qualityOf(accept, "application/openmetrics-text");
  return quality > 0 && quality >= qualityOf(accept, "text/plain");
}

/**
 * Responds with the metrics of the server, as Prometheus text, or as OpenMetrics if the client prefers that format. Use
 * the handler only on sites that outsiders cannot reach.
 */
export const metrics = defineModule({
  id: "http.handlers.metrics",
  config: z.strictObject({
    disable_openmetrics: z
      .boolean()
      .nullish()
      .describe("Prometheus text also for clients that ask for OpenMetrics (false)."),
  }),
  provision(config, context): HttpHandler {
    return {
      inRehearsal: "answers",
      async handle(exchange) {
        exchange.answersAlone = true;
        const isOpen = config.disable_openmetrics !== true && prefersOpenMetrics(exchange.header("accept"));
        const form = isOpen ? "openmetrics" : "prometheus";
        const text = String(await context.messages.askMain(metricsTopic, form));
        exchange.responseHeaders.push("Content-Type", metricsTypes[form], "Vary", "Accept");
        setContentLength(exchange.responseHeaders, Buffer.byteLength(text));
        exchange.respond(200, exchange.method === "HEAD" ? "" : text);
      },
    };
  },
});
