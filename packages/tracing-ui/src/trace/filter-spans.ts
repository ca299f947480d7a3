import { type FilterTerm, filterTerms, type SpanStatus } from "./filter-terms.ts";
import { searchText } from "./search-texts.ts";
import { selfTimes } from "./self-times.ts";
import { tagText } from "./span-facts.ts";
import { spanFlag, type Trace } from "./trace.ts";
import type { ApiAttribute } from "./trace-schema.ts";

/** The result of a filter for a trace. */
export interface SpanFilter {
  /** Per span: 1 when the span meets all conditions, else 0. */
  matches: Uint8Array;
  /** Per span: 1 for matches and their ancestors, so that matches keep their place in the tree. */
  shown: Uint8Array;
  /** Number of spans that meet all conditions. */
  matchCount: number;
  /** Number of spans that are neither matches nor ancestors of a match. */
  hiddenCount: number;
  /** Error message for an unreadable part; the readable parts still filter. */
  fault: string | undefined;
}

/** True when a text filters; an unfinished one, such as `-`, does not. */
export function isFilter(text: string): boolean {
  const { terms, fault } = filterTerms(text);
  return terms.length > 0 || fault !== undefined;
}

/**
 * Finds the spans that meet every part of a filter: words in service, operation, span id, attributes or events, in any
 * case, and comparisons; `filterTerms` describes the syntax.
 * @returns undefined for a text that has no condition and no fault: nothing is filtered
 */
export function filterSpans(trace: Trace, text: string): SpanFilter | undefined {
  const { terms, fault } = filterTerms(text);
  if (terms.length === 0 && fault === undefined) {
    return undefined;
  }
  // Cheap conditions run first: the text of a span is only made when the span passes the cheap conditions.
  const tests = terms.toSorted((a, b) => costOf(a) - costOf(b)).map((term) => testOf(trace, term));
  const count = trace.spans.length;
  const matches = new Uint8Array(count);
  const shown = new Uint8Array(count);
  let matchCount = 0;
  let shownCount = 0;
  // The loop runs backwards, so that all descendants of a span are handled before the span.
  for (let span = count - 1; span >= 0; span -= 1) {
    if (tests.every((test) => test(span))) {
      matches[span] = 1;
      matchCount += 1;
      shown[span] = 1;
    }
    if (shown[span] === 0) {
      continue;
    }
    shownCount += 1;
    const parent = trace.parent[span] as number;
    if (parent >= 0) {
      shown[parent] = 1;
    }
  }
  return { matches, shown, matchCount, hiddenCount: count - shownCount, fault };
}

/** The next or previous match from a span, wrapping around at the ends; −1 without matches. */
export function nextMatch({ matches, matchCount }: SpanFilter, from: number, by: 1 | -1): number {
  if (matchCount === 0) {
    return -1;
  }
  const count = matches.length;
  const first = from === -1 && by === -1 ? 0 : from;
  for (let step = 1; step <= count; step += 1) {
    const span = (((first + by * step) % count) + count) % count;
    if (matches[span] === 1) {
      return span;
    }
  }
  return -1;
}

/** Number of the span among the matches, from 1; 0 when the span is not a match. */
export function matchNumber({ matches }: SpanFilter, span: number): number {
  if (matches[span] !== 1) {
    return 0;
  }
  let number = 0;
  for (let at = 0; at <= span; at += 1) {
    number += matches[at] as number;
  }
  return number;
}

/** Cost class of a condition: 0 reads a column, 1 reads attributes, 2 makes a text. */
function costOf(term: FilterTerm): number {
  const { kind } = term;
  if (kind === "any") {
    return Math.max(...term.terms.map(costOf));
  }
  return kind === "time" || kind === "depth" || kind === "status"
    ? 0
    : kind === "text" || kind === "equals"
      ? 2
      : 1;
}

/** Returns a function that tests if a span meets the condition. */
function testOf(trace: Trace, term: FilterTerm): (span: number) => boolean {
  switch (term.kind) {
    case "any": {
      const tests = term.terms.map((each) => testOf(trace, each));
      return (span) => tests.some((test) => test(span));
    }
    case "text":
      return (span) => searchText(trace, span).includes(term.text) !== term.without;
    case "time": {
      const times = term.of === "self" ? selfTimes(trace) : trace.spanUs;
      return (span) => compare(times[span] as number, term.comparator, term.us);
    }
    case "depth":
      return (span) => compare((trace.depth[span] as number) + 1, term.comparator, term.value);
    case "status":
      return (span) => (statusOf(trace, span) === term.status) !== term.without;
    case "number":
      return (span) =>
        valuesOf(trace, span, term.key).some((value) => {
          const number = value.trim() === "" ? Number.NaN : Number(value);
          return !Number.isNaN(number) && compare(number, term.comparator, term.value);
        });
    case "equals": {
      const ofOthers = equalsBeyondText(trace, term);
      return (span) => ofOthers(span) || searchText(trace, span).includes(term.text);
    }
    case "differs":
      return (span) => {
        const values = valuesOf(trace, span, term.key);
        return values.length > 0 && values.every((value) => value.toLowerCase() !== term.value);
      };
    case "pattern":
      return (span) => {
        const values = valuesOf(trace, span, term.key);
        if (values.length === 0) {
          return false;
        }
        return values.some((value) => term.pattern.test(value)) !== term.without;
      };
  }
}

function compare(value: number, comparator: ">" | ">=" | "<" | "<=", than: number): boolean {
  switch (comparator) {
    case ">":
      return value > than;
    case ">=":
      return value >= than;
    case "<":
      return value < than;
    case "<=":
      return value <= than;
  }
}

/** The status of a span: failed, explicitly OK, or unset. */
function statusOf(trace: Trace, at: number): SpanStatus {
  if (((trace.flags[at] as number) & spanFlag.error) !== 0) {
    return "error";
  }
  const span = trace.spans[at];
  return span !== undefined && tagText(span, "otel.status_code") === "OK" ? "ok" : "unset";
}

/**
 * Returns a test for values that the span's search text does not contain as `key=value`: service, name, kind, and
 * attributes of the resource. Each resource is read once, because a filter runs after each typed letter.
 */
function equalsBeyondText(
  trace: Trace,
  { key, value }: Extract<FilterTerm, { kind: "equals" }>,
): (span: number) => boolean {
  if (key === "service") {
    const services = trace.services.map((name) => name.toLowerCase() === value);
    return (span) => services[trace.service[span] as number] === true;
  }
  if (key === "name" || key === "kind") {
    return (span) => valuesOf(trace, span, key).some((own) => own.toLowerCase() === value);
  }
  const resources = new Set<string>();
  for (const [id, { tags }] of Object.entries(trace.processes)) {
    if (tags?.some((tag) => tag.key.toLowerCase() === key && String(tag.value).toLowerCase() === value)) {
      resources.add(id);
    }
  }
  return (span) => resources.size > 0 && resources.has(trace.spans[span]?.processID ?? "");
}

/**
 * The values of a key in the attributes of span, resource and events. `service`, `name` and `kind` read the span's
 * own fields.
 */
function valuesOf(trace: Trace, at: number, key: string): string[] {
  const span = trace.spans[at];
  if (span === undefined) {
    return [];
  }
  if (key === "service") {
    return [trace.services[trace.service[at] as number] ?? ""];
  }
  if (key === "name") {
    return [span.operationName];
  }
  const wanted = key === "kind" ? "span.kind" : key;
  const values: string[] = [];
  const add = (attribute: ApiAttribute) => {
    if (attribute.key.toLowerCase() === wanted) {
      values.push(String(attribute.value));
    }
  };
  span.tags?.forEach(add);
  trace.processes[span.processID]?.tags?.forEach(add);
  for (const log of span.logs ?? []) {
    log.fields.forEach(add);
  }
  return values;
}
