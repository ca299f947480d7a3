import { toDuration, toTimestamp } from "../api-v2/nano-times.ts";
import { binaryTag, boolTag, float64Tag, int64Tag, stringTag } from "../api-v2/tags.ts";
import { WireError } from "../errors.ts";
import {
  AnnotationType,
  type Annotation as ZipkinCoreAnnotation,
  type BinaryAnnotation as ZipkinCoreBinaryAnnotation,
  type Endpoint as ZipkinCoreEndpoint,
  type Span as ZipkinCoreSpan,
} from "../gen/thrift/zipkincore.ts";
import {
  type Batch,
  type KeyValue,
  type Log,
  Process,
  type Span,
  type SpanRef,
  SpanRefType,
} from "../gen/tracing/api_v2/model.ts";
import { RejectedSpans } from "../rows/rejected-spans.ts";
import { sanitizeZipkinCoreSpan } from "./sanitize-zipkin-core-span.ts";

const debugFlag = 2;
const nanosPerMicro = 1000n;

/** Annotations that tell on which side of a request a span is. */
const kinds = new Map([
  ["sr", "server"],
  ["ss", "server"],
  ["cr", "client"],
  ["cs", "client"],
]);

/** Binary annotations that tell of the process, and the tags that they become. */
const processTags = new Map([
  ["jaegerClient", "jaeger.version"],
  ["jaeger.version", "jaeger.version"],
  ["jaeger.hostname", "hostname"],
]);

/**
 * Converts Zipkin spans that the agent received over UDP to batches of the `api_v2` model, one for each
 * process. This conversion is older than the collector's: see `sanitizeZipkinCoreSpan` for the repairs before
 * it. A span with both sides of a request becomes two spans with the same id.
 *
 * @param rejected gets the spans in which no service name is found; the public model refuses all of the
 *   packet for one Source: Jaeger 1.62, model/converter/thrift/zipkin/to_domain.go.
 */
export function zipkinCoreSpansToApiV2(
  spans: readonly ZipkinCoreSpan[],
  rejected = new RejectedSpans(),
): Batch[] {
  const batches = new Map<string, Batch>();
  for (const [index, sent] of spans.entries()) {
    const span = sanitizeZipkinCoreSpan(sent);
    let process: Process;
    try {
      process = processOf(span);
    } catch (error) {
      rejected.add(span.name, () => `spans[${index}]`, error);
      continue;
    }
    const key = Buffer.from(Process.encode(process).finish()).toString("latin1");
    const batch = batches.get(key);
    if (batch === undefined) {
      batches.set(key, { process, spans: spansOf(span) });
    } else {
      batch.spans.push(...spansOf(span));
    }
  }
  return [...batches.values()];
}

function spansOf(span: ZipkinCoreSpan): Span[] {
  const tags = span.binaryAnnotations.filter(({ key }) => !processTags.has(key)).flatMap(tagsOf);
  const kind = span.annotations.map(({ value }) => kinds.get(value)).find((found) => found !== undefined);
  if (kind !== undefined) {
    tags.push(stringTag("span.kind", kind));
  }
  const { start, duration } = timesOf(span);
  const first = modelSpan(span, start, duration, tags, logsOf(span.annotations));
  const sent = annotationOf(span, "cs");
  const received = annotationOf(span, "sr");
  if (sent === undefined || received === undefined) {
    return [first];
  }
  const isClient = tags.find(({ key }) => key === "span.kind")?.vStr === "client";
  const [begin, end] = isClient ? [received, annotationOf(span, "ss")] : [sent, annotationOf(span, "cr")];
  return [
    first,
    modelSpan(
      span,
      begin.timestamp,
      end === undefined ? 0n : end.timestamp - begin.timestamp,
      [stringTag("span.kind", isClient ? "server" : "client")],
      [],
    ),
  ];
}

function modelSpan(
  span: ZipkinCoreSpan,
  startUs: bigint,
  durationUs: bigint,
  tags: KeyValue[],
  logs: Log[],
): Span {
  const traceId = Buffer.alloc(16);
  traceId.writeBigUInt64BE(span.traceIdHigh ?? 0n, 0);
  traceId.writeBigUInt64BE(span.traceId, 8);
  const references: SpanRef[] =
    span.parentId === undefined
      ? []
      : [{ traceId, spanId: idBytes(span.parentId), refType: SpanRefType.CHILD_OF }];
  return {
    traceId,
    spanId: idBytes(span.id),
    operationName: span.name,
    references,
    flags: span.debug ? debugFlag : 0,
    startTime: toTimestamp(startUs * nanosPerMicro),
    duration: toDuration(BigInt.asIntN(64, durationUs * nanosPerMicro)),
    tags,
    logs,
    process: undefined,
    processId: "",
    warnings: [],
  };
}

/** Times in microseconds. */
function timesOf(span: ZipkinCoreSpan): { start: bigint; duration: bigint } {
  const start = span.timestamp ?? 0n;
  const duration = span.duration ?? 0n;
  if (start !== 0n) {
    return { start, duration };
  }
  const sent = annotationOf(span, "cs");
  const begin = sent ?? annotationOf(span, "sr");
  if (begin === undefined) {
    return { start, duration };
  }
  const end = annotationOf(span, sent === undefined ? "ss" : "cr");
  return {
    start: begin.timestamp,
    duration: end !== undefined && duration === 0n ? end.timestamp - begin.timestamp : duration,
  };
}

function annotationOf(span: ZipkinCoreSpan, value: string): ZipkinCoreAnnotation | undefined {
  return span.annotations.find((annotation) => annotation.value === value);
}

function idBytes(id: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(id);
  return bytes;
}

function processOf(span: ZipkinCoreSpan): Process {
  const tags = span.binaryAnnotations
    .filter(({ key }) => processTags.has(key))
    .flatMap(tagsOf)
    .map((tag) => ({ ...tag, key: processTags.get(tag.key) ?? tag.key }));
  const host = hostOf(span);
  if (host.ipv4 !== 0) {
    tags.push(int64Tag("ip", BigInt(host.ipv4)));
  }
  return { serviceName: host.serviceName, tags: tags.sort(compareTags) };
}

/** A host with a service name: of an annotation of a request's side, of `lc`, of any annotation, of any binary one. */
function hostOf(span: ZipkinCoreSpan): ZipkinCoreEndpoint {
  const { annotations, binaryAnnotations } = span;
  const candidates = [
    ...annotations.filter(({ value }) => kinds.has(value)),
    ...binaryAnnotations.filter(({ key }) => key === "lc"),
    ...annotations,
    ...binaryAnnotations,
  ];
  for (const { host } of candidates) {
    if (host !== undefined && host.serviceName !== "") {
      return host;
    }
  }
  throw new WireError(
    "WIRE_MALFORMED",
    `cannot find service name in Zipkin span [traceID=${span.traceId.toString(16)}, spanID=${span.id.toString(16)}]`,
  );
}

function tagsOf(annotation: ZipkinCoreBinaryAnnotation): KeyValue[] {
  const { key, value, host } = annotation;
  switch (key) {
    case "lc":
      return [stringTag("component", value.toString("utf8"))];
    case "sa":
    case "ca":
    case "ma":
      return host === undefined ? [] : peerTagsOf(host);
    default:
      return [typedTag(annotation)];
  }
}

function peerTagsOf({ serviceName, ipv4, ipv6, port }: ZipkinCoreEndpoint): KeyValue[] {
  const tags = [stringTag("peer.service", serviceName)];
  if (ipv4 !== 0) {
    tags.push(int64Tag("peer.ipv4", BigInt(ipv4 >>> 0)));
  }
  if (ipv6 !== undefined) {
    tags.push(binaryTag("peer.ipv6", ipv6));
  }
  if (port !== 0) {
    tags.push(int64Tag("peer.port", BigInt(port)));
  }
  return tags;
}

function typedTag({ key, value, annotationType }: ZipkinCoreBinaryAnnotation): KeyValue {
  switch (annotationType) {
    case AnnotationType.BOOL:
      return boolTag(key, value.length === 1 && value[0] === 1);
    case AnnotationType.BYTES:
      return binaryTag(key, value);
    case AnnotationType.STRING:
      return stringTag(key, value.toString("utf8"));
    case AnnotationType.I16:
      return numberTag(key, value, 2, () => int64Tag(key, BigInt(value.readInt16BE())));
    case AnnotationType.I32:
      return numberTag(key, value, 4, () => int64Tag(key, BigInt(value.readInt32BE())));
    case AnnotationType.I64:
      return numberTag(key, value, 8, () => int64Tag(key, value.readBigInt64BE()));
    case AnnotationType.DOUBLE:
      return numberTag(key, value, 8, () => float64Tag(key, value.readDoubleBE()));
    default:
      return unreadableTag(key, value, `unknown zipkin annotation type: ${annotationType}`);
  }
}

function numberTag(key: string, value: Buffer, byteCount: number, read: () => KeyValue): KeyValue {
  if (value.length >= byteCount) {
    return read();
  }
  return unreadableTag(key, value, value.length === 0 ? "EOF" : "unexpected EOF");
}

function unreadableTag(key: string, value: Buffer, problem: string): KeyValue {
  return stringTag(key, `Cannot parse Zipkin value ${value.toString("base64")}: ${problem}`);
}

function logsOf(annotations: readonly ZipkinCoreAnnotation[]): Log[] {
  return annotations
    .filter(({ value }) => value !== "" && !kinds.has(value))
    .map(({ timestamp, value }) => ({
      timestamp: toTimestamp(timestamp * nanosPerMicro),
      fields: fieldsOf(value),
    }));
}

/** Zipkin has no logs of several fields, so clients sent a JSON object of texts. */
function fieldsOf(text: string): KeyValue[] {
  const asEvent = [stringTag("event", text)];
  if (!/^\s*\{/.test(text)) {
    return asEvent;
  }
  let json: object;
  try {
    json = JSON.parse(text) as object;
  } catch {
    return asEvent;
  }
  const fields: KeyValue[] = [];
  for (const [key, value] of Object.entries(json) as [string, unknown][]) {
    if (value !== null && typeof value !== "string") {
      return asEvent;
    }
    fields.push(stringTag(key.toWellFormed(), (value ?? "").toWellFormed()));
  }
  return fields;
}

/** Ordered by key, then type, then value, as a process's tags in the older model. */
function compareTags(a: KeyValue, b: KeyValue): number {
  return (
    Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) ||
    a.vType - b.vType ||
    Buffer.compare(Buffer.from(a.vStr), Buffer.from(b.vStr)) ||
    Number(a.vBool) - Number(b.vBool) ||
    Number(a.vInt64 - b.vInt64) ||
    a.vFloat64 - b.vFloat64 ||
    Buffer.compare(a.vBinary, b.vBinary)
  );
}
