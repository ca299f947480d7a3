import { randomBytes } from "node:crypto";

/** The ids of a span, and its sampling decision. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Whether the span, and those below it, are sent; the first process of a trace decides. */
  readonly isSampled: boolean;
}

const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/**
 * Reads the header `traceparent`. @returns undefined when the header is missing or invalid
 * Source: W3C Trace Context, 3.2
 */
export function parseTraceparent(header: string | undefined): TraceContext | undefined {
  const [, traceId, spanId, flags] = pattern.exec(header?.trim() ?? "") ?? [];
  return traceId === undefined || spanId === undefined || flags === undefined
    ? undefined
    : { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The form of `traceparent`, and of the header `traceresponse`. */
export function formatTraceContext({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** The context of a new child of `parent`, or of a new trace, which is sampled. */
export function newContext(parent: TraceContext | undefined): TraceContext {
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    isSampled: parent?.isSampled ?? true,
  };
}
