// Converts traces to a form to compare and to store: parts without a defined order are sorted, and long texts are
// shortened.
//
// These have no defined order:
// - spans: the adjuster that removes duplicates shuffles them, and stores return them in any order;
// - the names of processes (p1, p2, …), which depend on the order of the spans;
// - tags of Zipkin spans and of their processes, unless they were sorted: the public model has them in a hash map.

import { createHash } from "node:crypto";

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const byText = (left: unknown, right: unknown) => {
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** Sorts a list whose order is undefined. Any other value is returned unchanged. */
export function inOrder(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted(byText) : value;
}

/** One text for a tag: `key = type value`, followed by any other members with their names. */
function tagText({ key, ...rest }: Members): string {
  const parts = Object.entries(rest).map(([name, value]) => {
    const text = JSON.stringify(value);
    return name === "type" ? String(value) : name === "value" ? text : `${name} ${text}`;
  });
  return [`${key} =`, ...parts].join(" ");
}

const longerThan = 300;

/** Replaces texts of over 300 characters by their beginning, length and hash. */
function shortened(value: unknown): unknown {
  if (typeof value === "string" && value.length > longerThan) {
    const hash = createHash("sha256").update(value).digest("hex").slice(0, 16);
    return `${value.slice(0, 40)}… ${value.length} characters, sha256 ${hash}…`;
  }
  if (Array.isArray(value)) {
    return value.map((element) => {
      const short = shortened(element);
      return isObject(short) && "key" in short ? tagText(short) : short;
    });
  }
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shortened(member)]));
}

const isZipkin = (tags: readonly unknown[]) =>
  tags.some((tag) => typeof tag === "string" && /^internal\.span\.format = .*"zipkin"/.test(tag));

/** A span with its tags as texts; tags of Zipkin spans are sorted. */
function comparableSpan(span: Members): Members {
  const short = shortened(span) as Members;
  const { tags, process } = short;
  if (!Array.isArray(tags) || !isZipkin(tags)) {
    return short;
  }
  return {
    ...short,
    tags: inOrder(tags),
    ...(isObject(process) && {
      process: { ...process, ...("tags" in process && { tags: inOrder(process.tags) }) },
    }),
  };
}

/** A trace of the HTTP API: sorted spans, each with its process, and the number of processes. */
export function comparableTrace(trace: unknown): unknown {
  if (!isObject(trace) || !Array.isArray(trace.spans) || !isObject(trace.processes)) {
    return trace;
  }
  const { spans, processes, ...rest } = trace;
  const withProcess = spans.map((span: Members) => {
    const { processID, ...members } = span;
    return comparableSpan({ ...members, process: processes[String(processID)] });
  });
  return {
    ...rest,
    processes: Object.keys(processes).length,
    spans: withProcess.toSorted((left, right) =>
      byText([left.spanID, left.startTime, left], [right.spanID, right.startTime, right]),
    ),
  };
}

/** Spans of the gRPC API, sorted. */
export function comparableSpans(spans: readonly Members[]): unknown {
  return spans
    .map(comparableSpan)
    .toSorted((left, right) =>
      byText([left.spanId, left.startTime, left], [right.spanId, right.startTime, right]),
    );
}

/**
 * Makes the changes to an unadjusted trace that adjusters make to every trace: sorts all tags, and puts the event first
 * in each log.
 */
export function withSortedTags(trace: unknown): unknown {
  if (!isObject(trace) || !Array.isArray(trace.spans)) {
    return trace;
  }
  const sorted = (tags: unknown) =>
    Array.isArray(tags)
      ? tags.toSorted((left, right) =>
          isEvent(left) ? (isEvent(right) ? 0 : -1) : isEvent(right) ? 1 : byText(left, right),
        )
      : tags;
  const isEvent = (tag: unknown) => typeof tag === "string" && tag.startsWith("event = string ");
  return {
    ...trace,
    spans: trace.spans.map((span: Members) => ({
      ...span,
      tags: sorted(span.tags),
      logs: Array.isArray(span.logs)
        ? span.logs.map((log: Members) => ({ ...log, fields: sorted(log.fields) }))
        : span.logs,
      process: isObject(span.process) ? { ...span.process, tags: sorted(span.process.tags) } : span.process,
    })),
  };
}
