import { isJsonArray, isJsonObject, type JsonValue, member } from "../json/json-value.ts";
import { jsonEqual } from "./json-equal.ts";
import { formatJsonPointer } from "./json-pointer.ts";

/** One step from one document to another, as an operation of a JSON patch. */
export type DiffOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: JsonValue }
  | { readonly op: "remove"; readonly path: string };

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
  const paired = shorter - tail;
  for (let index = head; index < paired; index++) {
    diff(before[index] ?? null, after[index] ?? null, [...path, String(index)], out);
  }
  for (let index = before.length - tail - 1; index >= paired; index--) {
    out.push({ op: "remove", path: formatJsonPointer([...path, String(index)]) });
  }
  for (let index = paired; index < after.length - tail; index++) {
    out.push({ op: "add", path: formatJsonPointer([...path, String(index)]), value: after[index] ?? null });
  }
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
 * A JSON patch that makes `after` of `before`; empty when they say the same. Of arrays, equal elements at both ends are
 * kept and those between are compared one by one. Source of the form: RFC 6902
 */
export function diffJson(before: JsonValue, after: JsonValue): DiffOperation[] {
  const out: DiffOperation[] = [];
  diff(before, after, [], out);
  return out;
}
