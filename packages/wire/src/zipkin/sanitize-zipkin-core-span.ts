import {
  AnnotationType,
  type BinaryAnnotation as ZipkinCoreBinaryAnnotation,
  type Span as ZipkinCoreSpan,
} from "../gen/thrift/zipkincore.ts";

const boolType = AnnotationType.BOOL;
const stringType = AnnotationType.STRING;
/** Duration in microseconds for a span without a usable duration; 0 would mean "absent" to readers. */
const leastDurationUs = 1n;

/**
 * Repairs a span from old clients. A missing start or duration is taken from the annotations of the span. A negative
 * duration becomes 1 µs (tag `errNegativeDuration`). A parent id of zero is removed (tag `errZeroParentID`). The value
 * of `error` becomes a bool (a text moves to `error.message`).
 *
 * Source: Jaeger 1.62, cmd/collector/app/sanitizer/zipkin.
 */
export function sanitizeZipkinCoreSpan(span: ZipkinCoreSpan): ZipkinCoreSpan {
  return withBoolError(withoutZeroParent(withDuration(withStart(span))));
}

/**
 * Start of a span that has no start: the time of the first `cs`, or for a root the time of the last `sr`. Other spans
 * stay without a start.
 */
function withStart(span: ZipkinCoreSpan): ZipkinCoreSpan {
  if (span.timestamp !== undefined) {
    return span;
  }
  const sent = span.annotations.find(({ value }) => value === "cs");
  const received = span.annotations.findLast(({ value }) => value === "sr");
  if (sent !== undefined) {
    return { ...span, timestamp: sent.timestamp };
  }
  if (received !== undefined && span.parentId === undefined) {
    return { ...span, timestamp: received.timestamp };
  }
  return span;
}

/**
 * Duration of a span that has no duration: the time from `cs` to `cr`, otherwise from the first annotation to the last,
 * otherwise 1 µs.
 */
function withDuration(span: ZipkinCoreSpan): ZipkinCoreSpan {
  const { duration, annotations } = span;
  if (duration !== undefined) {
    return duration >= 0n
      ? span
      : withTag({ ...span, duration: leastDurationUs }, "errNegativeDuration", Buffer.from(String(duration)));
  }
  // `cs` and `cr` enclose the request; other annotations may lie between them.
  const first = (annotations.findLast(({ value }) => value === "cs") ?? annotations[0])?.timestamp;
  const last = (annotations.findLast(({ value }) => value === "cr") ?? annotations.at(-1))?.timestamp;
  if (annotations.length < 2 || first === undefined || last === undefined || first >= last) {
    return { ...span, duration: leastDurationUs };
  }
  return { ...span, timestamp: span.timestamp ?? first, duration: last - first };
}

function withoutZeroParent(span: ZipkinCoreSpan): ZipkinCoreSpan {
  return span.parentId === 0n
    ? withTag({ ...span, parentId: undefined }, "errZeroParentID", Buffer.from("0"))
    : span;
}

/** `error=timeout` becomes `error` true and `error.message=timeout`. */
function withBoolError(span: ZipkinCoreSpan): ZipkinCoreSpan {
  const messages: ZipkinCoreBinaryAnnotation[] = [];
  const binaryAnnotations = span.binaryAnnotations.map((annotation) => {
    if (annotation.annotationType === boolType || annotation.key.toLowerCase() !== "error") {
      return annotation;
    }
    const text = annotation.value.toString("utf8").toLowerCase();
    if (text !== "" && text !== "true" && text !== "false") {
      messages.push(textAnnotation("error.message", annotation.value));
    }
    return { ...annotation, annotationType: boolType, value: Buffer.of(text === "false" ? 0 : 1) };
  });
  return { ...span, binaryAnnotations: [...binaryAnnotations, ...messages] };
}

function withTag(span: ZipkinCoreSpan, key: string, value: Buffer): ZipkinCoreSpan {
  return { ...span, binaryAnnotations: [...span.binaryAnnotations, textAnnotation(key, value)] };
}

function textAnnotation(key: string, value: Buffer): ZipkinCoreBinaryAnnotation {
  return { key, value, annotationType: stringType, host: undefined };
}
