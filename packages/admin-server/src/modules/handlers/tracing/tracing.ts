import { SpanKind, trace } from "@opentelemetry/api";
import { z } from "zod";
import { defineModule } from "../../../core/modules/module.ts";
import type { HttpHandler } from "../../../http/handler.ts";
import { compileTemplate } from "../../../http/placeholders.ts";
import { addLogField } from "../../logging/access/extra-fields.ts";
import { clientContext, endServerSpan, requestAttributes, requestTrace } from "./exchange-span.ts";
import { SpanSource, spanSources } from "./span-source.ts";

/**
 * Makes each request a SERVER span around the rest of the chain, and the calls to upstreams in it CLIENT spans.
 * Takes and hands on W3C trace context; the request's line in the access log has `traceID` and `spanID`. Sending happens in the background: a request never waits for it, nor fails.
 */
export const tracing = defineModule({
  id: "http.handlers.tracing",
  config: z.strictObject({
    span: z.string().nullish().describe("Name of the span; placeholders allowed (the method)."),
    span_attributes: z
      .record(z.string(), z.string())
      .nullish()
      .describe("Further attributes, set at the end of the request; placeholders allowed."),
  }),
  async provision(config, context): Promise<HttpHandler> {
    const lease = await context.acquire(spanSources, "", () => new SpanSource(process.env, context.log));
    const { tracer } = lease.value;
    const spanName = compileTemplate(config.span || "{http.request.method}");
    const attributes = Object.entries(config.span_attributes ?? {}).map(([name, value]) => ({
      name,
      value: compileTemplate(value),
    }));
    return {
      handle(exchange, next) {
        const parent = clientContext(exchange);
        const span = tracer.startSpan(
          spanName(exchange),
          { kind: SpanKind.SERVER, attributes: requestAttributes(exchange) },
          parent,
        );
        const { traceId, spanId } = span.spanContext();
        exchange.vars.set("trace_id", traceId);
        exchange.vars.set("span_id", spanId);
        addLogField(exchange, "traceID", traceId);
        addLogField(exchange, "spanID", spanId);
        exchange.trace = requestTrace(tracer, trace.setSpan(parent, span), exchange);
        exchange.onEnd(() => {
          for (const { name, value } of attributes) {
            span.setAttribute(name, value(exchange));
          }
          endServerSpan(span, exchange);
        });
        return next(exchange);
      },
    };
  },
});
