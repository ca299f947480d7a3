import { SpanKind, trace } from "@opentelemetry/api";
import { addLogField } from "http-engine/extra-fields";
import type { HttpHandler } from "http-engine/handler";
import { compileTemplate } from "http-engine/placeholders";
import type { ModuleContext } from "server-core/modules/module-context";
import { clientContext, endServerSpan, requestAttributes, requestTrace } from "./exchange-span.ts";
import { SpanSource, spanSources } from "./span-source.ts";
import type { TracingConfig } from "./tracing-config.ts";

/**
 * Makes the handler that creates spans. It is a separate file, so that the tracing library is loaded only when a config
 * needs it.
 */
export async function traceRequests(config: TracingConfig, context: ModuleContext): Promise<HttpHandler> {
  const lease = await context.acquire(spanSources, "", () => new SpanSource(process.env, context.log));
  const { tracer } = lease.value;
  const spanName = compileTemplate(config.span || "{http.request.method}");
  const attributes = Object.entries(config.span_attributes ?? {}).map(([name, value]) => ({
    name,
    value: compileTemplate(value),
  }));
  return {
    inRehearsal: "changes the answer",
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
}
