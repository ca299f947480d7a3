import { randomBytes } from "node:crypto";

/** The ids of a span, and the decision about sending it. */
export interface TraceContext {
  /** Trace ID: 32 hex digits. */
  readonly traceId: string;
  /** Span ID: 16 hex digits. */
  readonly spanId: string;
  /** True when the span and its children are sent. By default, the first process of a trace makes the decision. */
  readonly isSampled: boolean;
}

const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Reads the header `traceparent`; undefined: the header is missing or invalid. Source: W3C Trace Context, 3.2 */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = pattern.exec(header?.trim() ?? "") ?? [];
  return traceId === undefined || spanId === undefined || flags === undefined
    ? undefined
    : { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Formats a context for the headers `traceparent` and `traceresponse`. */
export function formatTraceContext({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** The context of a new child of `parent`; without `parent`, the context of a new trace, which is sampled. */
export function newContext(parent: TraceContext | undefined): TraceContext {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    isSampled: parent?.isSampled ?? true,
  };
}
