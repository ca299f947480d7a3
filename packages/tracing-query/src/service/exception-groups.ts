import type { TraceQlMetrics, TraceQlSeries } from "storage/api";
import { messageTemplate } from "wire/message-template";
import type { AttributeValue } from "wire/model";
import { attributeText } from "wire/rows";

/** A span that threw an exception of the group. */
export interface ExceptionExample {
  /** Trace id, 32 hex digits. */
  readonly traceId: string;
  /** Span id, 16 hex digits. */
  readonly spanId: string;
  readonly unixNano: bigint;
}

/** Exceptions of one type whose messages differ only in numbers, ids, addresses and quoted texts. */
export interface ExceptionGroup {
  /** `exception.type` of the span's event. */
  readonly type: string;
  /** The message if all exceptions share it; otherwise a pattern with `<…>` for the parts that can differ. */
  readonly template: string;
  /** Number of exceptions in the whole range. */
  readonly count: number;
  /** Services with their number of exceptions, highest first. */
  readonly services: readonly (readonly [name: string, count: number])[];
  /** Time of the first exception within the range; accurate to a step. */
  readonly firstUnixNano: bigint;
  readonly lastUnixNano: bigint;
  /** Number of exceptions in each step; the key is the end of the step. */
  readonly curve: ReadonlyMap<bigint, number>;
  /** Examples, newest first. */
  readonly examples: readonly ExceptionExample[];
}

/** Names of the labels that `groupExceptions` reads. */
export const exceptionLabels = {
  type: "event.exception.type",
  message: "event.exception.message",
  service: "resource.service.name",
} as const;

const mostExamples = 5;

/** A group whose exceptions are still being counted. */
interface Growing {
  type: string;
  /** Distinct messages. If there are several, the group shows a template. */
  messages: Set<string>;
  count: number;
  services: Map<string, number>;
  first: bigint | undefined;
  last: bigint;
  curve: Map<bigint, number>;
  examples: ExceptionExample[];
}

/**
 * Groups counts of spans by the types and messages of their exceptions. A span with several exceptions has
 * lists of types and messages; each exception counts.
 * @param stepNano length of a step; a sample covers the step before its time
 */
export function groupExceptions({ series }: TraceQlMetrics, stepNano: bigint): ExceptionGroup[] {
  const groups = new Map<string, Growing>();
  for (const one of series) {
    for (const { type, message } of exceptionsOf(one)) {
      const key = JSON.stringify([type, messageTemplate(message)]);
      let group = groups.get(key);
      if (group === undefined) {
        group = {
          ...{ type, messages: new Set(), count: 0, services: new Map() },
          ...{ first: undefined, last: 0n, curve: new Map(), examples: [] },
        };
        groups.set(key, group);
      }
      group.messages.add(message);
      add(group, one, stepNano);
    }
  }
  return [...groups.values()].filter(({ count }) => count > 0).map(finished);
}

function exceptionsOf(series: TraceQlSeries): { type: string; message: string }[] {
  const types = textsOf(series, exceptionLabels.type);
  const messages = textsOf(series, exceptionLabels.message);
  return Array.from({ length: Math.max(types.length, messages.length, 1) }, (_, index) => ({
    type: types[index] || "(no type)",
    message: messages[index] ?? "",
  }));
}

function textsOf({ labels }: TraceQlSeries, name: string): string[] {
  const value = labels.find(([key]) => key === name)?.[1];
  if (value === undefined || value.type === "empty") {
    return [];
  }
  return (value.type === "array" ? value.value : [value]).map((item: AttributeValue) => attributeText(item));
}

function add(group: Growing, series: TraceQlSeries, stepNano: bigint): void {
  const [service = ""] = textsOf(series, exceptionLabels.service);
  for (const { unixNano, value } of series.samples) {
    if (value <= 0) {
      continue;
    }
    group.count += value;
    group.services.set(service, (group.services.get(service) ?? 0) + value);
    group.curve.set(unixNano, (group.curve.get(unixNano) ?? 0) + value);
    const example = series.exemplars.find(
      (one) => one.unixNano > unixNano - stepNano && one.unixNano <= unixNano,
    );
    const seen = example?.unixNano ?? unixNano - stepNano;
    group.first = group.first === undefined || seen < group.first ? seen : group.first;
    if (seen > group.last) {
      group.last = seen;
    }
    if (example !== undefined) {
      const { traceId, spanId } = example;
      group.examples.push({ traceId, spanId, unixNano: example.unixNano });
    }
  }
}

function finished({
  type,
  messages,
  count,
  services,
  first = 0n,
  last,
  curve,
  examples,
}: Growing): ExceptionGroup {
  const [message = ""] = messages;
  const newest = examples.sort((a, b) => (a.unixNano > b.unixNano ? -1 : 1));
  const traces = new Set<string>();
  return {
    ...{ type, count, curve, firstUnixNano: first, lastUnixNano: last },
    template: messages.size === 1 ? message.slice(0, 1_000) : messageTemplate(message),
    services: [...services].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)),
    examples: newest
      .filter(({ traceId }) => !traces.has(traceId) && traces.add(traceId) !== undefined)
      .slice(0, mostExamples),
  };
}
