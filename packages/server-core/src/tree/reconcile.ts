import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { prototypeKey } from "../json/prototype-key.ts";

const ownField = { configurable: true, enumerable: true, writable: true };

/** The number of an object's keys; no list of keys is created. */
function countKeys(object: JsonObject): number {
  let count = 0;
  for (const _ in object) {
    count++;
  }
  return count;
}

function reconcileObject(old: JsonObject, next: JsonObject): JsonObject {
  const keys = Object.keys(next);
  let same = keys.length === countKeys(old);
  // Created only when the result mixes old and new members; most results are `old` or `next` itself.
  let made: Record<string, JsonValue> | undefined;
  for (const key of keys) {
    const value = next[key] as JsonValue;
    const before = Object.hasOwn(old, key) ? old[key] : undefined;
    const kept = before === undefined ? value : reconcile(before, value);
    same &&= kept === before;
    if (kept !== value) {
      made ??= { ...next };
      // A plain assignment would set the prototype.
      if (key === prototypeKey) {
        Object.defineProperty(made, key, { ...ownField, value: kept });
      } else {
        made[key] = kept;
      }
    }
  }
  // The order of keys is ignored, because documents are written with sorted keys.
  return same ? old : (made ?? next);
}

/** Several elements were inserted or removed, so equal elements are found by their JSON text. */
function reconcileMiddle(old: readonly JsonValue[], kept: JsonValue[], start: number, end: number): void {
  const byText = new Map(old.map((value) => [JSON.stringify(value), value]));
  for (let index = start; index < end; index++) {
    const text = JSON.stringify(kept[index]);
    kept[index] = byText.get(text) ?? kept[index] ?? null;
    byText.delete(text);
  }
}

/** Compares elements from both ends, so that elements after an inserted or removed element keep their objects. */
function reconcileArray(old: readonly JsonValue[], next: readonly JsonValue[]): readonly JsonValue[] {
  // Created only when the result mixes old and new elements; most results are `old` or `next` itself.
  let made: JsonValue[] | undefined;
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  for (let isSame = true; isSame && start < shorter; ) {
    const kept = reconcile(old[start] as JsonValue, next[start] as JsonValue);
    made = put(made, next, start, kept);
    isSame = kept === old[start];
    start += isSame ? 1 : 0;
  }
  if (start === old.length && start === next.length) {
    return old;
  }
  let end = 0;
  for (let isSame = true; isSame && end < shorter - start; ) {
    const [from, to] = [old.length - 1 - end, next.length - 1 - end];
    const kept = reconcile(old[from] as JsonValue, next[to] as JsonValue);
    made = put(made, next, to, kept);
    isSame = kept === old[from];
    end += isSame ? 1 : 0;
  }
  if (old.length === next.length) {
    for (let index = start + 1; index < next.length - end - 1; index++) {
      made = put(made, next, index, reconcile(old[index] as JsonValue, next[index] as JsonValue));
    }
    return made ?? next;
  }
  const kept = made ?? [...next];
  reconcileMiddle(old.slice(start, old.length - end), kept, start, next.length - end);
  return kept;
}

/**
 * Sets an element of the result. The result is a copy of `next`, created when the first element differs from `next`.
 */
function put(
  made: JsonValue[] | undefined,
  next: readonly JsonValue[],
  index: number,
  value: JsonValue,
): JsonValue[] | undefined {
  if (value === next[index]) {
    return made;
  }
  const list = made ?? [...next];
  list[index] = value;
  return list;
}

/**
 * A value equal to `next`, built from the objects of `old` wherever they are equal. So an unchanged part keeps its
 * identity. Neither argument is changed.
 */
export function reconcile(old: JsonValue, next: JsonValue): JsonValue {
  if (old === next) {
    return old;
  }
  if (isJsonArray(old) && isJsonArray(next)) {
    return reconcileArray(old, next);
  }
  if (isJsonObject(old) && isJsonObject(next)) {
    return reconcileObject(old, next);
  }
  return next;
}
