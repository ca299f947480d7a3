import type { SpanList } from "storage/api";
import { nextTurn } from "storage/next-turn";
import { toApiV2Span } from "wire/api-v2/to-api-v2-span";
import type { Process } from "wire/api-v2-model";
import { lengthNano, type Resource, type Span, type SpanFormat } from "wire/model/span";
import type { SpanFields } from "wire/rows/span-fields";
import { parentKey } from "../span-facts.ts";
import { hostOf, skewAgainst } from "./clock-skew.ts";
import { SpanIds } from "./span-ids.ts";
import { withIpShown } from "./tag-adjusters.ts";
import { compareTags } from "./tag-order.ts";

/** Number of spans to read before other requests get a turn; some milliseconds of work. */
const spansPerTurn = 1_000;

/** Marks a span without a parent in the trace: a root, or a span whose parent is missing. */
const root = -1;
const orphan = -2;

const farNano = 2n ** 61n;

/** The clock correction of each span of a trace, in a few bytes a span. */
export interface ClockPlan {
  /** Nanoseconds to add to the span's times, 0 for no correction. May exceed `maxDeltaNano`: the caller checks it. */
  deltaNano(index: number): bigint;
  /**
   * Hex id of the parent that the span names and the trace lacks; undefined when the trace has the
   * parent.
   */
  missingParent(index: number): string | undefined;
  /** True when the span names no parent. */
  isRoot(index: number): boolean;
}

/**
 * Computes in advance what `adjustClockSkew` does, so that spans need not all be objects at the same time. Other
 * requests run in between.
 * @param maxDeltaNano limit of corrections. A larger correction is not applied, which also affects corrections of
 * children
 * @param processes known from other traces
 * @returns undefined when two spans share an id, or a time is more than 73 years from 1970: then the trace must be
 *   adjusted as a whole
 */
export async function planClocks(
  spans: SpanList,
  maxDeltaNano: bigint,
  processes = new ShownProcesses(),
): Promise<ClockPlan | undefined> {
  const read = await readSpans(spans, processes);
  if (read === undefined) {
    return undefined;
  }
  const { parentHighs, parentLows } = read;
  const links = await linkSpans(read);
  const deltas = await deltasOf(read, links, maxDeltaNano);
  const { parents } = links;
  return {
    deltaNano: (index) => deltas[index] as bigint,
    missingParent: (index) =>
      parents[index] === orphan
        ? hexOf(parentHighs[index] as number) + hexOf(parentLows[index] as number)
        : undefined,
    isRoot: (index) => parents[index] === root,
  };
}

/** Number of spans to link or correct before other requests get a turn; cheaper for each span than reading. */
const linkedPerTurn = 8 * spansPerTurn;

/** The tree of a trace, by indexes of spans. */
interface SpanLinks {
  /** For each span the index of its parent; `root` or `orphan` without one. */
  readonly parents: Int32Array;
  /** The first child of each span; below 0 for none. */
  readonly firstChild: Int32Array;
  /** The next child of the same parent; below 0 for none. */
  readonly nextChild: Int32Array;
  /** Spans without a parent in the trace. */
  readonly tops: number[];
}

async function linkSpans({ ids, parentHighs, parentLows }: ReadSpans): Promise<SpanLinks> {
  const count = parentHighs.length;
  const parents = new Int32Array(count);
  const firstChild = new Int32Array(count).fill(root);
  const nextChild = new Int32Array(count).fill(root);
  const tops: number[] = [];
  for (let index = 0; index < count; index++) {
    const high = parentHighs[index] as number;
    const low = parentLows[index] as number;
    const found = ids.find(high, low);
    const parent = high === 0 && low === 0 ? root : found === -1 ? orphan : found;
    parents[index] = parent;
    if (parent >= 0) {
      nextChild[index] = firstChild[parent] as number;
      firstChild[parent] = index;
    } else {
      tops.push(index);
    }
    if (index % linkedPerTurn === linkedPerTurn - 1) {
      await nextTurn();
    }
  }
  return { parents, firstChild, nextChild, tops };
}

/** The correction of each span, parents before children. Afterwards `starts` holds adjusted times. */
async function deltasOf(
  { starts, durations, hosts, hostsOfSpans }: ReadSpans,
  { parents, firstChild, nextChild, tops }: SpanLinks,
  maxDeltaNano: bigint,
): Promise<BigInt64Array> {
  const host = (index: number) => hosts[hostsOfSpans[index] as number] as string;
  const times = (index: number) => ({
    startNano: starts[index] as bigint,
    durationNano: lengthNano({ durationNano: durations[index] as bigint }),
  });
  const deltas = new BigInt64Array(starts.length);
  let visited = 0;
  // A stack instead of recursion, because a trace may be as deep as it has spans.
  for (let index = tops.pop(); index !== undefined; index = tops.pop()) {
    const parent = parents[index] as number;
    if (parent >= 0) {
      // A span on the host of its parent has the correction of its parent.
      const isSameClock = host(index) === host(parent) && host(index) !== "";
      const delta = isSameClock ? (deltas[parent] as bigint) : skewAgainst(times(parent), times(index));
      deltas[index] = delta;
      if ((delta < 0n ? -delta : delta) <= maxDeltaNano) {
        starts[index] = (starts[index] as bigint) + delta;
      }
    }
    for (let child = firstChild[index] as number; child >= 0; child = nextChild[child] as number) {
      tops.push(child);
    }
    if (++visited % linkedPerTurn === 0) {
      await nextTurn();
    }
  }
  return deltas;
}

/** The inputs of clock correction, for all spans of a trace. An id is two 32-bit numbers. */
interface ReadSpans {
  /** Ids of the spans; the index of an id is the index of its span. */
  readonly ids: SpanIds;
  /** Starts in nanoseconds since 1970. */
  readonly starts: BigInt64Array;
  /** Durations in nanoseconds. */
  readonly durations: BigInt64Array;
  /** Upper half of each parent's id; both halves are 0 for a root. */
  readonly parentHighs: Int32Array;
  /** Lower half of each parent's id. */
  readonly parentLows: Int32Array;
  /** Distinct clocks of the spans, as in `ShownProcess.host`. */
  readonly hosts: readonly string[];
  /** For each span the index of its host in `hosts`. */
  readonly hostsOfSpans: Uint32Array;
}

/** @returns undefined as `planClocks` does */
async function readSpans(spans: SpanList, processes: ShownProcesses): Promise<ReadSpans | undefined> {
  const count = spans.length;
  const ids = new SpanIds(count);
  const starts = new BigInt64Array(count);
  const durations = new BigInt64Array(count);
  const parentHighs = new Int32Array(count);
  const parentLows = new Int32Array(count);
  const hosts: string[] = [];
  const hostsOfSpans = new Uint32Array(count);
  const hostOf = new Map<Resource, number>();
  for (let index = 0; index < count; index++) {
    const fields = spans.fieldsAt?.(index);
    let resource: Resource;
    let isNew: boolean;
    if (fields === undefined) {
      const span = spans.at(index) as Span;
      resource = span.resource;
      isNew = ids.add(wordOf(span.spanId, 0), wordOf(span.spanId, 8));
      starts[index] = span.startTimeUnixNano;
      durations[index] = span.durationNano;
    } else {
      const { view, spanIdAt, startAt } = fields;
      resource = fields.origin.resource;
      isNew = ids.add(view.getInt32(spanIdAt), view.getInt32(spanIdAt + 4));
      starts[index] = view.getBigInt64(startAt, true);
      durations[index] = view.getBigInt64(startAt + 8, true);
    }
    if (!isNew || isFar(starts[index] as bigint) || isFar(durations[index] as bigint)) {
      return undefined;
    }
    if (fields !== undefined && namesParent(fields)) {
      const { view, spanIdAt } = fields;
      parentHighs[index] = view.getInt32(spanIdAt + 8);
      parentLows[index] = view.getInt32(spanIdAt + 12);
    } else if (fields === undefined || fields.hasLinks) {
      const parent = parentIdOf(spans.at(index) as Span);
      parentHighs[index] = wordOf(parent, 0);
      parentLows[index] = wordOf(parent, 8);
    }
    let host = hostOf.get(resource);
    if (host === undefined) {
      host = hosts.push(processes.of(resource, () => spans.at(index) as Span).host) - 1;
      hostOf.set(resource, host);
    }
    hostsOfSpans[index] = host;
    if (index % spansPerTurn === spansPerTurn - 1) {
      await nextTurn();
    }
  }
  return { ids, starts, durations, parentHighs, parentLows, hosts, hostsOfSpans };
}
/** True for a time so far from 1970 that a difference of two times may overflow 64 bits. */
function isFar(nano: bigint): boolean {
  return nano > farNano || nano < -farNano;
}

/** True when the row's parent id is the parent. A row without links has no other parent. */
function namesParent(fields: SpanFields): boolean {
  return fields.hasLinks ? fields.details() === "parent" : isOtlp(fields.origin.format);
}

/** The id of the parent in hex; "" for a root. */
export function parentIdOf(span: Span): string {
  if (span.links.length === 0) {
    return isOtlp(span.format) ? span.parentSpanId : "";
  }
  return Buffer.from(parentKey(toApiV2Span(span)), "latin1").toString("hex");
}

function isOtlp(format: SpanFormat): boolean {
  return format === "otlp" || format === "zipkin";
}

/** Reads 32 bits of a hex id, from the given digit; 0 for an empty id. */
function wordOf(id: string, start: number): number {
  return Number.parseInt(id.slice(start, start + 8), 16) | 0;
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0");
}

/** The facts that adjusted spans of one resource share. */
export interface ShownProcess {
  readonly process: Process;
  /** Identifies the clock; "" when unknown. */
  readonly host: string;
}

/** The shown processes of spans. Each resource is converted once. The result is cached while the resource is in use. */
export class ShownProcesses {
  readonly #known = new WeakMap<Resource, ShownProcess>();

  /** @param spanOf returns one of the resource's spans */
  of(resource: Resource, spanOf: () => Span): ShownProcess {
    let shown = this.#known.get(resource);
    if (shown === undefined) {
      const { process } = toApiV2Span({ ...spanOf(), attributes: [], events: [], links: [] });
      const tags = (process?.tags ?? []).map(withIpShown).sort(compareTags);
      const adjusted = { serviceName: process?.serviceName ?? "", tags };
      shown = { process: adjusted, host: hostOf(adjusted) };
      this.#known.set(resource, shown);
    }
    return shown;
  }
}
