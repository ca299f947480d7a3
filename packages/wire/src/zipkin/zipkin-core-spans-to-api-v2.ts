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

/** Bit of `flags` that marks a debug span in the `api_v2` model. */
const debugFlag = 2;
const nanosPerMicro = 1000n;

/**
 * Annotations that tell on which side of a request the span is: `sr` means "server received", `cs` means "client sent".
 */
const kinds = new Map([
  ["sr", "server"],
  ["ss", "server"],
  ["cr", "client"],
  ["cs", "client"],
]);

/** Binary annotations that describe the process, with the tags that they become. */
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
 * @param rejected receives the spans without a service name. Jaeger refuses the whole packet because of one
 * such span. Source: Jaeger 1.62, model/converter/thrift/zipkin/to_domain.go.
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

/**
 * One span; two spans when it has both `cs` and `sr`, because its client and its server then share one id. The first
 * annotation that tells a side gives the side of the first span. The second span has the opposite side, times of its
 * own, and only the tag for its kind.
 */
function spansOf(span: ZipkinCoreSpan): Span[] {
  const tags = span.binaryAnnotations.filter(({ key }) => !processTags.has(key)).flatMap(tagsOf);
  const kind = span.annotations.map(({ value }) => kinds.get(value)).find((found) => found !== undefined);
  if (kind !== undefined) {
    tags.push(stringTag("span.kind", kind));
  }
  const first = modelSpan(span, { ...timesOf(span), tags, logs: logsOf(span.annotations) });
  const sent = annotationOf(span, "cs");
  const received = annotationOf(span, "sr");
  if (sent === undefined || received === undefined) {
    return [first];
  }
  const isClient = tags.find(({ key }) => key === "span.kind")?.vStr === "client";
  const [begin, end] = isClient ? [received, annotationOf(span, "ss")] : [sent, annotationOf(span, "cr")];
  return [
    first,
    modelSpan(span, {
      start: begin.timestamp,
      duration: end === undefined ? 0n : end.timestamp - begin.timestamp,
      tags: [stringTag("span.kind", isClient ? "server" : "client")],
      logs: [],
    }),
  ];
}

/** The parts in which the two spans of a shared id differ. */
interface OwnParts {
  /** Microseconds since 1970. */
  readonly start: bigint;
  /** Microseconds. */
  readonly duration: bigint;
  readonly tags: KeyValue[];
  readonly logs: Log[];
}

/** Makes a span of the `api_v2` model. The ids become big-endian bytes, and a parent becomes a CHILD_OF reference. */
function modelSpan(span: ZipkinCoreSpan, { start, duration, tags, logs }: OwnParts): Span {
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
    startTime: toTimestamp(start * nanosPerMicro),
    duration: toDuration(BigInt.asIntN(64, duration * nanosPerMicro)),
    tags,
    logs,
    process: undefined,
    processId: "",
    warnings: [],
  };
}

/**
 * Start and duration, in microseconds. A span without a start takes both from its annotations: from `cs` to `cr`, or
 * from `sr` to `ss` when there is no `cs`. A missing annotation leaves 0.
 */
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

/**
 * The process of a span: its service, its tags by `processTags`, and the IPv4 address as the signed number that
 * Zipkin sends. The tags are sorted, so that equal processes have equal bytes and share a batch.
 * @throws WireError WIRE_MALFORMED without a service name
 */
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

/**
 * The first host that has a service name. Hosts are tried in this order: annotations that tell a side, the binary
 * annotation `lc` (local component), all annotations, all binary annotations.
 */
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

/**
 * Converts a binary annotation to tags. `lc` is the local component. `sa`, `ca` and `ma` are addresses of the server,
 * the client and the broker: their host becomes the `peer.*` tags.
 */
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

/**
 * Converts the value of an annotation by its type; numbers are big-endian. A value that is too short becomes a text
 * with an error message, as in Jaeger.
 */
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

/** @param read called when the value has at least `byteCount` bytes; further bytes are ignored */
function numberTag(key: string, value: Buffer, byteCount: number, read: () => KeyValue): KeyValue {
  if (value.length >= byteCount) {
    return read();
  }
  return unreadableTag(key, value, value.length === 0 ? "EOF" : "unexpected EOF");
}

function unreadableTag(key: string, value: Buffer, problem: string): KeyValue {
  return stringTag(key, `Cannot parse Zipkin value ${value.toString("base64")}: ${problem}`);
}

/** Logs from the annotations that do not define a side of the request. */
function logsOf(annotations: readonly ZipkinCoreAnnotation[]): Log[] {
  return annotations
    .filter(({ value }) => value !== "" && !kinds.has(value))
    .map(({ timestamp, value }) => ({
      timestamp: toTimestamp(timestamp * nanosPerMicro),
      fields: fieldsOf(value),
    }));
}

/**
 * Zipkin has no logs with several fields, so clients send a JSON object with texts: `{"event":"retry","try":"2"}` has
 * two fields. Any other text becomes the field `event`.
 */
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

/** Compares by key, then by type, then by value, like the tags of a process in the `api_v2` model. */
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
