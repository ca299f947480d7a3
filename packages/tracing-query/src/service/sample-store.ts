// A store with spans in it, for the tests of HTTP and gRPC.
import type { TraceStore } from "storage/api";
import { openMemoryStore } from "storage/memory";
import type { Attribute, Span } from "wire/model";
import { SpanRowWriter } from "wire/rows";

interface SampleSpan extends Partial<Omit<Span, "resource">> {
  readonly service?: string;
  readonly resourceAttributes?: readonly Attribute[];
}

export const sampleTraceId = "71a81d73ce7902db83be4d12250bd874";

/** Trace id with a zero high half, so it is shown with 16 digits. */
export const shortTraceId = "0000000000000000000000000000beef";

/** An OTLP span that started a second ago, with the fields that the test names. */
export function otlpSpan({ service = "shop", resourceAttributes = [], ...rest }: SampleSpan = {}): Span {
  return {
    traceId: sampleTraceId,
    spanId: "d8b7eb2154448f9d",
    parentSpanId: "",
    traceState: "",
    flags: 1,
    name: "GET /",
    kind: "server",
    startTimeUnixNano: BigInt(Date.now() - 1_000) * 1_000_000n,
    durationNano: 1_500_000n,
    attributes: [],
    droppedAttributesCount: 0,
    events: [],
    droppedEventsCount: 0,
    links: [],
    droppedLinksCount: 0,
    status: { code: "unset", message: "" },
    resource: {
      serviceName: service,
      attributes: [{ key: "service.name", value: { type: "string", value: service } }, ...resourceAttributes],
      droppedAttributesCount: 0,
      schemaUrl: "",
    },
    scope: { name: "", version: "", attributes: [], droppedAttributesCount: 0, schemaUrl: "" },
    format: "otlp",
    warnings: [],
    ...rest,
  };
}

/** A memory store with these spans. @param tenant the owner of the spans */
export async function sampleStore(spans: readonly Span[], tenant = ""): Promise<TraceStore> {
  const store = openMemoryStore();
  if (spans.length > 0) {
    const writer = new SpanRowWriter();
    for (const span of spans) {
      writer.append(span, tenant);
    }
    await store.writer.writeSpans(writer.take(), { deduplicationToken: "sample" });
  }
  return store;
}
