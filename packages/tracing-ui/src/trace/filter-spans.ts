import type { ApiAttribute } from "../api/trace-schema.ts";
import type { Trace } from "./trace.ts";

/** What a text filter finds in a trace. */
export interface SpanFilter {
  /** 1 for each span that holds the text. */
  matches: Uint8Array;
  /** 1 for each match and each ancestor of one, so that a match keeps its place in the tree. */
  shown: Uint8Array;
  matchCount: number;
  hiddenCount: number;
}

/**
 * Finds the spans that hold every word of the text: in service, operation, span id, attributes or events, in
 * any case. `key=value` is one word, and `"two words"` may be quoted.
 * @returns undefined for a text without words: nothing is filtered
 */
export function filterSpans(trace: Trace, text: string): SpanFilter | undefined {
  const words = [...text.toLowerCase().matchAll(/"([^"]+)"?|\S+/g)].map((match) => match[1] ?? match[0]);
  if (words.length === 0) return undefined;
  const count = trace.spans.length;
  const matches = new Uint8Array(count);
  const shown = new Uint8Array(count);
  let matchCount = 0;
  let shownCount = 0;
  // Backwards, so that a span knows of all its descendants when its turn comes.
  for (let span = count - 1; span >= 0; span -= 1) {
    const haystack = searchText(trace, span);
    if (words.every((word) => haystack.includes(word))) {
      matches[span] = 1;
      matchCount += 1;
      shown[span] = 1;
    }
    if (shown[span] === 0) continue;
    shownCount += 1;
    const parent = trace.parent[span] as number;
    if (parent >= 0) shown[parent] = 1;
  }
  return { matches, shown, matchCount, hiddenCount: count - shownCount };
}

/** Texts by trace, made on first use: typing a filter reads them once per letter. */
const searchTexts = new WeakMap<Trace, (string | undefined)[]>();

function searchText(trace: Trace, at: number): string {
  let texts = searchTexts.get(trace);
  if (texts === undefined) {
    texts = new Array<string | undefined>(trace.spans.length);
    searchTexts.set(trace, texts);
  }
  texts[at] ??= collectText(trace, at);
  return texts[at];
}

function collectText(trace: Trace, at: number): string {
  const span = trace.spans[at];
  if (span === undefined) return "";
  const lines = [trace.services[trace.service[at] as number] ?? "", span.operationName, span.spanID];
  const add = ({ key, value }: ApiAttribute) => lines.push(`${key}=${value}`);
  span.tags?.forEach(add);
  for (const log of span.logs ?? []) log.fields.forEach(add);
  return lines.join("\n").toLowerCase();
}
