import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { prototypeKey } from "../json/prototype-key.ts";

const ownField = { configurable: true, enumerable: true, writable: true };

/** The number of an object's keys, without a list of them. */
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
  // Made only when some of both is in it: most objects are the old one or the next one.
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
  // Order of keys does not count: documents are written with sorted ones.
  return same ? old : (made ?? next);
}

/** Several were put in or taken out: equal elements find each other by their text. */
function reconcileMiddle(old: readonly JsonValue[], kept: JsonValue[], start: number, end: number): void {
  const byText = new Map(old.map((value) => [JSON.stringify(value), value]));
  for (let index = start; index < end; index++) {
    const text = JSON.stringify(kept[index]);
    kept[index] = byText.get(text) ?? kept[index] ?? null;
    byText.delete(text);
  }
}

/** Compares elements from both ends, so that elements behind an inserted or removed one keep their objects. */
function reconcileArray(old: readonly JsonValue[], next: readonly JsonValue[]): readonly JsonValue[] {
  // Made only when some of both is in it: of most lists all elements are old, or all are new.
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

/** Puts a value into a list that is to be made of `next`, and makes it where the value is another one than there. */
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
 * The same value as `next`, made of the objects of `old` wherever these are equal: what did not change is the very same
 * object afterwards. Neither is changed.
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
