import type { Resource, Scope, Span, SpanEvent, SpanLink } from "wire/model";
import { spanKinds, statusCodes } from "wire/model";
import { readKeyValue } from "wire/otlp/any-value";
import { ProtoCursor } from "wire/otlp/proto-cursor";
import { serviceNameOf } from "wire/otlp/service-name";
import { attributesOf, type Group, listOf } from "./attribute-values.ts";
import type { DedicatedColumn, DedicatedColumns } from "./block-meta.ts";

const column = (key: string, name: string): DedicatedColumn => ({ key, column: name });

/** Attributes of resources with a column of their own. vParquet5 has only the first. */
const resourceColumns = [
  column("service.name", "ServiceName"),
  column("cluster", "Cluster"),
  column("namespace", "Namespace"),
  column("pod", "Pod"),
  column("container", "Container"),
  column("k8s.cluster.name", "K8sClusterName"),
  column("k8s.namespace.name", "K8sNamespaceName"),
  column("k8s.pod.name", "K8sPodName"),
  column("k8s.container.name", "K8sContainerName"),
];
/** Attributes of spans with a column of their own, before vParquet5. */
const spanColumns = [
  column("http.method", "HttpMethod"),
  column("http.url", "HttpUrl"),
  column("http.status_code", "HttpStatusCode"),
];

/** The spans of a row, which is a trace. Spans of the same resource share one `resource` object. */
export function* spansOfRow(row: Group, dedicated: DedicatedColumns): Generator<Span> {
  const traceId = idOf(row.TraceID, 32);
  for (const resourceSpans of listOf(row.rs)) {
    const resource = resourceOf((resourceSpans.Resource ?? {}) as Group, dedicated);
    for (const scopeSpans of listOf(resourceSpans.ss)) {
      const scope = scopeOf((scopeSpans.Scope ?? {}) as Group);
      for (const span of listOf(scopeSpans.Spans)) {
        yield { traceId, ...spanOf(span, dedicated), resource, scope, format: "otlp", warnings: [] };
      }
    }
  }
}

function resourceOf(resource: Group, dedicated: DedicatedColumns): Resource {
  // The column of the service's name is "" for a resource without a name.
  const values = { ...resource, ServiceName: resource.ServiceName || undefined };
  const attributes = attributesOf(
    resource.Attrs,
    { known: resourceColumns, values },
    { known: dedicated.resource, values: resource.DedicatedAttributes },
  );
  return {
    ...{ serviceName: serviceNameOf(attributes), attributes, schemaUrl: "" },
    droppedAttributesCount: countOf(resource.DroppedAttributesCount),
  };
}

function scopeOf(scope: Group): Scope {
  return {
    ...{ name: textOf(scope.Name), version: textOf(scope.Version), schemaUrl: "" },
    attributes: attributesOf(scope.Attrs),
    droppedAttributesCount: countOf(scope.DroppedAttributesCount),
  };
}

function spanOf(
  span: Group,
  dedicated: DedicatedColumns,
): Omit<Span, "traceId" | "resource" | "scope" | "format" | "warnings"> {
  const start = nanosOf(span.StartTimeUnixNano);
  const parentSpanId = idOf(span.ParentSpanID, 0);
  return {
    ...{ spanId: idOf(span.SpanID, 16), parentSpanId: /^0*$/.test(parentSpanId) ? "" : parentSpanId },
    ...{ traceState: textOf(span.TraceState), flags: 0, name: textOf(span.Name) },
    kind: spanKinds[Number(span.Kind ?? 0)] ?? "unspecified",
    ...{ startTimeUnixNano: start, durationNano: nanosOf(span.DurationNano) },
    attributes: attributesOf(
      span.Attrs,
      { known: spanColumns, values: span },
      { known: dedicated.span, values: span.DedicatedAttributes },
    ),
    droppedAttributesCount: countOf(span.DroppedAttributesCount),
    events: listOf(span.Events).map((event) => eventOf(event, start, dedicated)),
    droppedEventsCount: countOf(span.DroppedEventsCount),
    links: span.Links instanceof Uint8Array ? encodedLinks(span.Links) : listOf(span.Links).map(linkOf),
    droppedLinksCount: countOf(span.DroppedLinksCount),
    status: {
      code: statusCodes[Number(span.StatusCode ?? 0)] ?? "unset",
      message: textOf(span.StatusMessage),
    },
  };
}

/** vParquet3 has the time of an event, later formats the time since the start of its span. */
function eventOf(event: Group, start: bigint, dedicated: DedicatedColumns): SpanEvent {
  const { TimeUnixNano: time, TimeSinceStartNano: since } = event;
  return {
    timeUnixNano:
      time === undefined ? BigInt.asUintN(64, start + BigInt.asIntN(64, nanosOf(since))) : nanosOf(time),
    name: textOf(event.Name),
    attributes: attributesOf(event.Attrs, {
      known: dedicated.event,
      values: event.DedicatedAttributes as Group,
    }),
    droppedAttributesCount: countOf(event.DroppedAttributesCount),
  };
}

function linkOf(link: Group): SpanLink {
  return {
    ...{
      traceId: idOf(link.TraceID, 32),
      spanId: idOf(link.SpanID, 16),
      traceState: textOf(link.TraceState),
    },
    attributes: attributesOf(link.Attrs),
    droppedAttributesCount: countOf(link.DroppedAttributesCount),
    ...{ flags: 0, refType: "none" },
  };
}

/** Links of vParquet3: a protobuf message whose field 1 is a repeated OTLP link. @throws WireError */
function encodedLinks(bytes: Uint8Array): SpanLink[] {
  const cursor = new ProtoCursor();
  cursor.open(bytes);
  const links: SpanLink[] = [];
  while (cursor.position < bytes.length) {
    const tag = cursor.tag(bytes.length);
    if (tag === 10) {
      links.push(encodedLink(cursor, cursor.fieldEnd(bytes.length)));
    } else {
      cursor.skip(tag, bytes.length, 0);
    }
  }
  return links;
}

/** Source: OTLP, `Span.Link` */
function encodedLink(cursor: ProtoCursor, end: number): SpanLink {
  const link = { traceId: "", spanId: "", traceState: "", droppedAttributesCount: 0, flags: 0 };
  const attributes: SpanLink["attributes"][number][] = [];
  while (cursor.position < end) {
    const tag = cursor.tag(end);
    switch (tag) {
      case 10:
        link.traceId = idOf(bytesOf(cursor, end), 32);
        break;
      case 18:
        link.spanId = idOf(bytesOf(cursor, end), 16);
        break;
      case 26:
        link.traceState = cursor.string(end);
        break;
      case 34:
        attributes.push(readKeyValue(cursor, cursor.fieldEnd(end)));
        break;
      case 40:
        link.droppedAttributesCount = cursor.uint32(end);
        break;
      case 53:
        link.flags = cursor.fixed32(end);
        break;
      default:
        cursor.skip(tag, end, 0);
    }
  }
  return { ...link, attributes, refType: "none" };
}

function bytesOf(cursor: ProtoCursor, end: number): Uint8Array {
  const stop = cursor.fieldEnd(end);
  const bytes = cursor.bytes.subarray(cursor.position, stop);
  cursor.position = stop;
  return bytes;
}

/** An id in hex digits, padded with zeros: Tempo cuts leading zeros of ids in some formats. */
function idOf(bytes: unknown, digits: number): string {
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString("hex").padStart(digits, "0") : "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function countOf(value: unknown): number {
  const count = Number(value ?? 0);
  return Number.isSafeInteger(count) && count > 0 ? Math.min(count, 0xffffffff) : 0;
}

function nanosOf(value: unknown): bigint {
  return typeof value === "bigint" ? BigInt.asUintN(64, value) : BigInt(Number(value ?? 0));
}
