import type { ToolAnswer } from "./tool.ts";

/** Approximate JSON characters per token, for most models. */
const charactersPerToken = 4;

/** Characters reserved for the fields that list the omitted items. */
const reserve = 300;

/** Maximum number of JSON characters for the lists of an answer. @param budget limit of tokens */
export function charactersOf(budget: number): number {
  return budget * charactersPerToken - reserve;
}

/**
 * Lengths to which texts are cut. The first length with which the answer fits is used; shorter texts would be useless.
 */
const textLengths = [4_000, 1_000, 300, 120];

/**
 * Removes the middle of a long text, and inserts the number of removed characters. Three quarters of the rest are its
 * head.
 *
 * ```
 * cutText("abcdefghij", 4)  →  "abc…(6 more characters)…j"
 * ```
 */
function cutText(text: string, length: number): string {
  if (text.length <= length) {
    return text;
  }
  const head = Math.ceil(length * 0.75);
  const tail = length - head;
  return `${text.slice(0, head).toWellFormed()}…(${text.length - length} more characters)…${text.slice(text.length - tail).toWellFormed()}`;
}

/** Cuts all texts of a value, at any depth. */
function cutTexts(value: unknown, length: number): unknown {
  if (typeof value === "string") {
    return cutText(value, length);
  }
  if (Array.isArray(value)) {
    return value.map((item) => cutTexts(item, length));
  }
  if (typeof value === "object" && value !== null) {
    // Keys also come from spans, so they are cut too.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [cutText(key, length), cutTexts(item, length)]),
    );
  }
  return value;
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** @returns the number of items at the front of a list that fit into `characters` */
function fitting(items: readonly unknown[], characters: number): number {
  let left = characters;
  for (const [index, item] of items.entries()) {
    left -= lengthOf(item) + 1;
    if (left < 0) {
      return index;
    }
  }
  return items.length;
}

/**
 * Cuts an answer to a budget: long texts first, then items from the end of its lists. The answer shows what was
 * cut: in the text itself, and in `left_out` by list.
 *
 * ```
 * {spans: [200 spans], total: 200}  →  {spans: [60 spans], total: 200, left_out: {spans: 140}, rest: "raise budget"}
 * ```
 *
 * @param budget approximate limit of tokens
 */
export function fitBudget({ fields, lists, rest }: ToolAnswer, budget: number): Record<string, unknown> {
  const most = charactersOf(budget);
  let fitted: Record<string, unknown> = { ...fields };
  for (const length of textLengths) {
    if (lengthOf(fitted) <= most) {
      break;
    }
    fitted = cutTexts(fields, length) as Record<string, unknown>;
  }
  const leftOut: Record<string, number> = {};
  for (const name of [...lists].reverse()) {
    const over = lengthOf(fitted) - most;
    const items = fitted[name];
    if (over <= 0 || !Array.isArray(items)) {
      continue;
    }
    const kept = fitting(items, lengthOf(items) - over);
    if (kept < items.length) {
      fitted[name] = items.slice(0, kept);
      leftOut[name] = items.length - kept;
    }
  }
  return Object.keys(leftOut).length === 0 ? fitted : { ...fitted, left_out: leftOut, rest };
}
