import { nextTurn, type SpanList } from "storage/api";
import { toApiV2Span } from "wire/api-v2";
import type { Resource, Span } from "wire/model";
import type { SpanOutline } from "wire/rows";
import { noSpan, parentKey } from "../span-facts.ts";
import { skewAgainst } from "./clock-skew.ts";
import { ShownProcesses } from "./shown-processes.ts";

/** Spans that are looked at before others get a turn: some milliseconds of work. */
const spansPerTurn = 1_000;

/** No parent: a root, and one whose parent is named but not there. */
const root = -1;
const orphan = -2;

const farNano = 2n ** 61n;

/** What the clocks of a whole trace say about each of its spans, in few bytes a span. */
export interface ClockPlan {
  /** By how much the span's clock is off, in nanoseconds; 0 when it is not, or nothing is known. */
  deltaNano(index: number): bigint;
  /** The id, in hex, of the parent that a span names and the trace lacks; undefined when all is well. */
  missingParent(index: number): string | undefined;
}

/**
 * What `adjustClockSkew` does, told beforehand: spans need not all be there as objects at once. Lets others run in
 * between.
 * @param maxDeltaNano larger deltas are not applied, which those of children depend on
 * @param processes known from other traces
 * @returns undefined when two spans share an id, or times are centuries away: the trace must then be looked at as a whole
 */
export async function planClocks(
  spans: SpanList,
  maxDeltaNano: bigint,
  processes = new ShownProcesses(),
): Promise<ClockPlan | undefined> {
  const count = spans.length;
  const starts = new BigInt64Array(count);
  const durations = new BigInt64Array(count);
  const hosts: string[] = [];
  const hostsOfSpans = new Uint32Array(count);
  const hostOf = new Map<Resource, number>();
  const indexes = new Map<string, number>();
  const parentKeys: string[] = [];
  for (let index = 0; index < count; index++) {
    const span = spans.outlineAt?.(index) ?? outlineOf(spans.at(index) as Span);
    if (indexes.has(span.spanId)) return undefined;
    indexes.set(span.spanId, index);
    parentKeys.push(span.hasLinks ? parentIdByLinks(spans.at(index) as Span) : parentIdOf(span));
    if (isFar(span.startTimeUnixNano) || isFar(span.durationNano)) return undefined;
    starts[index] = span.startTimeUnixNano;
    durations[index] = span.durationNano;
    let host = hostOf.get(span.resource);
    if (host === undefined) {
      host = hosts.push(processes.of(spans.at(index) as Span).host) - 1;
      hostOf.set(span.resource, host);
    }
    hostsOfSpans[index] = host;
    if (index % spansPerTurn === spansPerTurn - 1) await nextTurn();
  }

  const parents = new Int32Array(count);
  const missing = new Map<number, string>();
  /** Children as lists: the first of each span, and the next of the same parent. */
  const firstChild = new Int32Array(count).fill(root);
  const nextChild = new Int32Array(count).fill(root);
  const rest: number[] = [];
  for (let index = 0; index < count; index++) {
    const key = parentKeys[index] as string;
    const parent = key === "" ? root : (indexes.get(key) ?? orphan);
    parents[index] = parent;
    if (parent >= 0) {
      nextChild[index] = firstChild[parent] as number;
      firstChild[parent] = index;
    } else {
      rest.push(index);
      if (parent === orphan) missing.set(index, key);
    }
    if (index % (8 * spansPerTurn) === 0) await nextTurn();
  }
  const host = (index: number) => hosts[hostsOfSpans[index] as number] as string;
  const times = (index: number) => ({
    startNano: starts[index] as bigint,
    durationNano: durations[index] as bigint,
  });
  // A stack, not recursion: a trace may be as deep as it has spans. `starts` are the adjusted ones from here on.
  const deltas = new BigInt64Array(count);
  let visited = 0;
  for (let index = rest.pop(); index !== undefined; index = rest.pop()) {
    const parent = parents[index] as number;
    if (parent >= 0) {
      // Spans of one host share the delta of the first of them.
      const isSameClock = host(index) === host(parent) && host(index) !== "";
      const delta = isSameClock ? (deltas[parent] as bigint) : skewAgainst(times(parent), times(index));
      deltas[index] = delta;
      if ((delta < 0n ? -delta : delta) <= maxDeltaNano) starts[index] = (starts[index] as bigint) + delta;
    }
    for (let child = firstChild[index] as number; child >= 0; child = nextChild[child] as number) {
      rest.push(child);
    }
    if (++visited % (8 * spansPerTurn) === 0) await nextTurn();
  }
  return { deltaNano: (index) => deltas[index] as bigint, missingParent: (index) => missing.get(index) };
}

/** So far from 1970 that differences may take more than 64 bits. */
function isFar(nano: bigint): boolean {
  return nano > farNano || nano < -farNano;
}

function outlineOf(span: Span): SpanOutline {
  return { ...span, hasLinks: span.links.length > 0 };
}

/** The id of the parent of a span without links, in hex; "" for a root. */
function parentIdOf({ format, parentSpanId }: SpanOutline): string {
  return format === "otlp" || format === "zipkin" ? parentSpanId : "";
}

function parentIdByLinks(span: Span): string {
  const key = parentKey(toApiV2Span(span));
  return key === noSpan ? "" : Buffer.from(key, "latin1").toString("hex");
}
