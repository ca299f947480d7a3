import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";

/** The value at a path of keys; undefined when a step is missing. */
export function valueAt(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    value,
  );
}

/** Texts in the list at a path of keys; empty without such a list. */
export function textsOf(value: JsonValue | undefined, ...keys: readonly string[]): string[] {
  const list = valueAt(value, ...keys);
  return isJsonArray(list) ? list.filter((each) => typeof each === "string") : [];
}

/** Objects in the list at a path of keys; empty without such a list. */
export function objectsOf(value: JsonValue | undefined, ...keys: readonly string[]): JsonObject[] {
  const list = valueAt(value, ...keys);
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

/** True for an object whose only member is this one. */
export function hasOnly(value: JsonValue | undefined, key: string): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).join() === key;
}

/** Removes duplicates; elements are compared as JSON. */
export function distinct<T>(items: readonly T[]): T[] {
  const texts = items.map((item) => JSON.stringify(item));
  return items.filter((_item, index) => texts.indexOf(texts[index] ?? "") === index);
}
