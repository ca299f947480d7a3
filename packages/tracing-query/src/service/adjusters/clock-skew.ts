import { toNanos, toTimestamp } from "wire/api-v2/nano-times";
import { type Span as ApiV2Span, type Process, ValueType } from "wire/api-v2-model";
import { formatDurationNano } from "../../go-text/go-duration.ts";
import type { ApiTrace } from "../api-trace.ts";
import { findTag, idKey, noSpan, parentKey } from "../span-facts.ts";
import { ipText } from "./tag-adjusters.ts";

interface Node {
  readonly span: ApiV2Span;
  /** Identifies the clock. "" is unknown, and differs from every other clock. */
  readonly host: string;
  readonly children: Node[];
}

interface Skew {
  /** Host whose clock differs. */
  readonly host: string;
  /** Nanoseconds to add to times of this host. */
  readonly deltaNano: bigint;
}

/**
 * Moves spans whose host's clock is wrong so that they lie within their parents. A span on the host of its parent
 * gets the correction of its parent. A warning on the span gives the correction, or says why it was not applied.
 *
 * The parent runs from 0 to 100 ms on host A. The child's host B is 150 ms ahead:
 *
 * ```
 * before  client A   0 … 100 ms       after  client A   0 … 100 ms
 *         server B 170 … 230 ms              server B  20 …  80 ms, "This span's timestamps were adjusted by -150ms"
 * ```
 *
 * @param maxDeltaNano larger deltas are not applied; 0 applies none
 */
export function adjustClockSkew(trace: ApiTrace, maxDeltaNano: bigint): void {
  const roots = buildTrees(trace);
  // A stack instead of recursion, because a trace may be as deep as it has spans.
  const rest: { node: Node; parent: Node | undefined; skew: Skew }[] = roots.map((node) => ({
    node,
    parent: undefined,
    skew: { host: node.host, deltaNano: 0n },
  }));
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { node, parent } = next;
    let { skew } = next;
    if (parent !== undefined && (node.host !== skew.host || node.host === "")) {
      skew = { host: node.host, deltaNano: skewAgainst(timesOf(parent.span), timesOf(node.span)) };
    }
    applyDelta(node.span, skew.deltaNano, maxDeltaNano);
    for (const child of node.children) {
      rest.push({ node: child, parent: node, skew });
    }
  }
}

/**
 * Arranges spans as trees. If spans share an id, only the first is in the tree; the others get a warning. A
 * span whose parent is missing becomes a root, with a warning.
 */
function buildTrees(trace: ApiTrace): Node[] {
  const nodes = new Map<string, Node>();
  for (const span of trace.spans) {
    const key = idKey(span.spanId);
    if (nodes.has(key)) {
      span.warnings.push("duplicate span IDs; skipping clock skew adjustment");
    } else {
      nodes.set(key, { span, host: hostOf(span.process), children: [] });
    }
  }
  const roots: Node[] = [];
  for (const node of nodes.values()) {
    const parent = parentKey(node.span);
    const parentNode = nodes.get(parent);
    if (parent === noSpan) {
      roots.push(node);
    } else if (parentNode !== undefined) {
      parentNode.children.push(node);
    } else {
      warnOfMissingParent(node.span, Buffer.from(parent, "latin1").toString("hex"));
      roots.push(node);
    }
  }
  return roots;
}

/** @param id the parent's id, in hex */
export function missingParentWarning(id: string): string {
  return `invalid parent span IDs=${id}; skipping clock skew adjustment`;
}

/** @param id the parent's id, in hex */
export function warnOfMissingParent(span: ApiV2Span, id: string): void {
  span.warnings.push(missingParentWarning(id));
}

/** Identifies the clock of a process by its tag `ip`; "" is unknown. */
export function hostOf(process: Process | undefined): string {
  const ip = findTag(process?.tags ?? [], "ip");
  switch (ip?.vType) {
    case ValueType.STRING:
      return ip.vStr;
    case ValueType.INT64:
      return ipText(ip.vInt64);
    case ValueType.BINARY:
      return ip.vBinary.length === 4 || ip.vBinary.length === 16 ? ip.vBinary.toString("hex") : "";
    default:
      return "";
  }
}

export interface SpanTimes {
  /** Start in nanoseconds since 1970. */
  readonly startNano: bigint;
  readonly durationNano: bigint;
}

function timesOf(span: ApiV2Span): SpanTimes {
  return { startNano: toNanos(span.startTime), durationNano: toNanos(span.duration) };
}

/**
 * The correction that moves the child to the middle of the parent's time; 0 when the child fits.
 *
 * ```
 * parent 0 … 100, child 170 … 230   →  20 - 170 = -150
 * parent 0 … 100, child  10 …  90   →  0
 * parent 0 … 100, child -50 … 250   →  50, because it is longer than its parent
 * ```
 *
 * @param parent times of the parent, already adjusted
 */
export function skewAgainst(
  { startNano: parentStart, durationNano: parentLength }: SpanTimes,
  { startNano: childStart, durationNano: childLength }: SpanTimes,
): bigint {
  if (childLength > parentLength) {
    // The call is asynchronous, or the parent timed out. The only certain fact is that the child began after
    // its parent.
    return childStart < parentStart ? parentStart - childStart : 0n;
  }
  if (childStart >= parentStart && childStart + childLength <= parentStart + parentLength) {
    return 0n;
  }
  // Assumes equal network time in both directions.
  return parentStart + (parentLength - childLength) / 2n - childStart;
}

/** Result of a correction: nanoseconds to add, and a warning. A delta of 0 gives 0 and no warning. */
export function skewOutcome(
  deltaNano: bigint,
  maxDeltaNano: bigint,
): { readonly appliedNano: bigint; readonly warning?: string } {
  if (deltaNano === 0n) {
    return noSkew;
  }
  const delta = formatDurationNano(deltaNano);
  if ((deltaNano < 0n ? -deltaNano : deltaNano) <= maxDeltaNano) {
    return { appliedNano: deltaNano, warning: `This span's timestamps were adjusted by ${delta}` };
  }
  const warning =
    maxDeltaNano === 0n
      ? `clock skew adjustment disabled; not applying calculated delta of ${delta}`
      : `max clock skew adjustment delta of ${formatDurationNano(maxDeltaNano)} exceeded; not applying calculated delta of ${delta}`;
  return { appliedNano: 0n, warning };
}

const noSkew = { appliedNano: 0n } as const;

/** Moves the span and its logs by the correction, and adds the warning of `skewOutcome`. */
export function applyDelta(span: ApiV2Span, deltaNano: bigint, maxDeltaNano: bigint): void {
  const { appliedNano, warning } = skewOutcome(deltaNano, maxDeltaNano);
  if (appliedNano !== 0n) {
    span.startTime = toTimestamp(toNanos(span.startTime) + appliedNano);
    for (const log of span.logs) {
      log.timestamp = toTimestamp(toNanos(log.timestamp) + appliedNano);
    }
  }
  if (warning !== undefined) {
    span.warnings.push(warning);
  }
}
