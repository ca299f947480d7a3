import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";

function reconcileObject(old: JsonObject, next: JsonObject): JsonObject {
  const keys = Object.keys(next);
  let same = keys.length === Object.keys(old).length;
  // Made only when there is a difference: most objects have none.
  let made: [string, JsonValue][] | undefined = same ? undefined : [];
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const value = next[key] as JsonValue;
    const before = Object.hasOwn(old, key) ? (old[key] as JsonValue) : undefined;
    const kept = before === undefined ? value : reconcile(before, value);
    if (kept !== before) {
      same = false;
      made ??= keys.slice(0, index).map((each) => [each, old[each] as JsonValue]);
    }
    made?.push([key, kept]);
  }
  // Order of keys does not count: documents are written with sorted ones.
  return same ? old : (Object.fromEntries(made ?? []) as JsonObject);
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

/** Elements are compared from both ends, so that one put in or taken out does not make strangers of all after it. */
function reconcileArray(old: readonly JsonValue[], next: readonly JsonValue[]): readonly JsonValue[] {
  const kept = [...next];
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  while (start < shorter) {
    kept[start] = reconcile(old[start] ?? null, next[start] ?? null);
    if (kept[start] !== old[start]) {
      break;
    }
    start++;
  }
  let end = 0;
  while (end < shorter - start) {
    const [from, to] = [old.length - 1 - end, next.length - 1 - end];
    kept[to] = reconcile(old[from] ?? null, next[to] ?? null);
    if (kept[to] !== old[from]) {
      break;
    }
    end++;
  }
  if (old.length === next.length) {
    for (let index = start; index < next.length - end; index++) {
      kept[index] = reconcile(old[index] ?? null, next[index] ?? null);
    }
  } else {
    reconcileMiddle(old.slice(start, old.length - end), kept, start, next.length - end);
  }
  return old.length === next.length && kept.every((value, index) => value === old[index]) ? old : kept;
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
