import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";

/** The value at the end of a way of keys; undefined where an object or a key on the way is missing. */
export function valueAt(value: JsonValue | undefined, ...keys: readonly string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>(
    (at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    value,
  );
}

/** Texts of a list at the end of a way of keys; none when there is no list. */
export function textsOf(value: JsonValue | undefined, ...keys: readonly string[]): string[] {
  const list = valueAt(value, ...keys);
  return isJsonArray(list) ? list.filter((each) => typeof each === "string") : [];
}

/** Objects of a list at the end of a way of keys; none when there is no list. */
export function objectsOf(value: JsonValue | undefined, ...keys: readonly string[]): JsonObject[] {
  const list = valueAt(value, ...keys);
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

/** Whether an object has the one member and no other. */
export function hasOnly(value: JsonValue | undefined, key: string): value is JsonObject {
  return isJsonObject(value) && Object.keys(value).join() === key;
}

/** Each element once, compared as JSON. */
export function distinct<T>(items: readonly T[]): T[] {
  const texts = items.map((item) => JSON.stringify(item));
  return items.filter((_item, index) => texts.indexOf(texts[index] ?? "") === index);
}
