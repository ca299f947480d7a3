import { isJsonArray, isJsonObject, type JsonValue, member } from "../json/json-value.ts";
import { alignLists } from "./align-lists.ts";
import { jsonEqual } from "./json-equal.ts";
import { formatJsonPointer } from "./json-pointer.ts";

/** One step from one document to another, as an operation of a JSON patch. */
export type DiffOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string };

/** Turns one list into another list, starting at its first element. */
class ListDiff {
  readonly #path: readonly string[];
  readonly #out: DiffOperation[];
  /** Index of the next element in the list after the operations so far. */
  #position: number;

  constructor(path: readonly string[], start: number, out: DiffOperation[]) {
    this.#path = path;
    this.#position = start;
    this.#out = out;
  }

  /** Changes one element into another at the same position. */
  keep(before: JsonValue, after: JsonValue): void {
    diff(before, after, [...this.#path, String(this.#position)], this.#out);
    this.#position++;
  }

  /**
   * Replaces some elements by other elements. Elements at the same position in both parts are changed into each other;
   * surplus elements are removed or added.
   */
  replace(before: readonly JsonValue[], after: readonly JsonValue[]): void {
    const paired = Math.min(before.length, after.length);
    for (let index = 0; index < paired; index++) {
      this.keep(before[index] ?? null, after[index] ?? null);
    }
    for (let count = before.length - paired; count > 0; count--) {
      this.#out.push({ op: "remove", path: this.#pointer() });
    }
    for (const value of after.slice(paired)) {
      this.#out.push({ op: "add", path: this.#pointer(), value });
      this.#position++;
    }
  }

  #pointer(): string {
    return formatJsonPointer([...this.#path, String(this.#position)]);
  }
}

function diffArrays(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  path: readonly string[],
  out: DiffOperation[],
): void {
  const same = (a: number, b: number) => jsonEqual(before[a] ?? null, after[b] ?? null);
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && same(head, head)) {
    head++;
  }
  let tail = 0;
  while (tail < shorter - head && same(before.length - 1 - tail, after.length - 1 - tail)) {
    tail++;
  }
  const [old, next] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const list = new ListDiff(path, head, out);
  let [fromOld, fromNext] = [0, 0];
  for (const pair of alignLists(old, next)) {
    list.replace(old.slice(fromOld, pair.before), next.slice(fromNext, pair.after));
    list.keep(old[pair.before] ?? null, next[pair.after] ?? null);
    [fromOld, fromNext] = [pair.before + 1, pair.after + 1];
  }
  list.replace(old.slice(fromOld), next.slice(fromNext));
}

function diff(before: JsonValue, after: JsonValue, path: readonly string[], out: DiffOperation[]): void {
  if (before === after) {
    return;
  }
  if (isJsonArray(before) && isJsonArray(after)) {
    diffArrays(before, after, path, out);
    return;
  }
  if (!isJsonObject(before) || !isJsonObject(after)) {
    if (!jsonEqual(before, after)) {
      out.push({ op: "replace", path: formatJsonPointer(path), value: after });
    }
    return;
  }
  for (const key of Object.keys(before)) {
    if (member(after, key) === undefined) {
      out.push({ op: "remove", path: formatJsonPointer([...path, key]) });
    }
  }
  for (const [key, value] of Object.entries(after)) {
    const existing = member(before, key);
    if (existing === undefined) {
      out.push({ op: "add", path: formatJsonPointer([...path, key]), value });
    } else {
      diff(existing, value, [...path, key], out);
    }
  }
}

/**
 * A JSON patch that turns `before` into `after`; empty when they are equal. List elements that are equal or have the
 * same `@id` are kept; the elements between them are compared by position. Source of the form: RFC 6902
 */
export function diffJson(before: JsonValue, after: JsonValue): DiffOperation[] {
  const out: DiffOperation[] = [];
  diff(before, after, [], out);
  return out;
}
