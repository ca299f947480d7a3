import { type Attribute, int, text } from "./attributes.ts";
import { BatchTemplate } from "./batch-template.ts";
import type { PlannedSpan } from "./plan-spans.ts";
import {
  bytesField,
  bytesSlot,
  fixed32Field,
  fixed64Slot,
  join,
  messageField,
  type Piece,
  varintField,
} from "./proto-piece.ts";
import type { Random } from "./random.ts";

const version = "1.14.2";
/** Fraction of the successful spans that have an event. */
const eventRate = 0.06;
const statusError = 2;

/**
 * The spans as one OTLP `ExportTraceServiceRequest`, grouped by service and scope, like requests from a gateway for
 * many senders. Source: opentelemetry-proto, trace/v1/trace.proto
 */
export function encodeBatch(spans: readonly PlannedSpan[], random: Random): BatchTemplate {
  const byService = Map.groupBy(spans.keys(), (number) => spans[number]!.operation.service);
  const requests = [...byService].map(([service, ofService]) => {
    const byScope = Map.groupBy(ofService, (number) => spans[number]!.operation.scope);
    const scopeSpans = [...byScope].map(([scope, ofScope]) =>
      messageField(
        2,
        messageField(1, bytesField(1, scope), bytesField(2, version)),
        ...ofScope.map((number) => messageField(2, ...spanFields(spans[number]!, number, random))),
      ),
    );
    return messageField(1, messageField(1, ...encodeAll(resourceAttributes(service), 1)), ...scopeSpans);
  });
  return new BatchTemplate(join(requests), spans);
}

function encodeAll(attributes: readonly Attribute[], field: number): Piece[] {
  return attributes.map((attribute) => attribute.encode(field));
}

function resourceAttributes(service: string): Attribute[] {
  return [
    text("service.name", service),
    text("service.version", version),
    text("deployment.environment.name", "production"),
    text("host.name", `node-${service.length}`),
    text("k8s.pod.name", `${service}-7d9c5b8f64-x2k9p`),
    int("process.pid", 1),
    text("telemetry.sdk.language", "nodejs"),
  ];
}

function spanFields(span: PlannedSpan, number: number, random: Random): Piece[] {
  const { operation, parent, failed } = span;
  const { service, name } = operation;
  const attributes = operation.attributes({ random, service, name, failed });
  return [
    bytesSlot(1, 16, { kind: "traceId", span: number }),
    bytesSlot(2, 8, { kind: "spanId", span: number }),
    ...(parent === -1 ? [] : [bytesSlot(4, 8, { kind: "parentSpanId", span: number })]),
    bytesField(5, name),
    varintField(6, operation.kind),
    fixed64Slot(7, { kind: "time", span: number, part: 0 }),
    fixed64Slot(8, { kind: "time", span: number, part: 1 }),
    ...encodeAll(attributes, 9),
    ...eventFields(span, number, random),
    ...(failed
      ? [messageField(15, bytesField(2, `${name} failed`), varintField(3, statusError))]
      : [messageField(15)]),
    fixed32Field(16, parent === -1 ? 0x101 : 0x301),
  ];
}

/** Some spans have an event; all failed spans have the event of an exception. */
function eventFields({ operation, failed }: PlannedSpan, span: number, random: Random): Piece[] {
  if (!failed && !random.chance(eventRate)) {
    return [];
  }
  const time = fixed64Slot(1, { kind: "time", span, part: random.unit() });
  if (!failed) {
    const waited = int("app.waited_ms", random.below(500));
    return [messageField(11, time, bytesField(2, "connection.acquired"), waited.encode(3))];
  }
  const file = `/app/src/${operation.service}/handler.ts`;
  const exception = [
    text("exception.type", "UpstreamError"),
    text("exception.message", `${operation.name} failed: upstream answered ${500 + random.below(4)}`),
    text(
      "exception.stacktrace",
      `UpstreamError: no answer\n    at ask (${file}:41:17)\n    at handle (${file}:88:9)`,
    ),
  ];
  return [messageField(11, time, bytesField(2, "exception"), ...encodeAll(exception, 3))];
}
