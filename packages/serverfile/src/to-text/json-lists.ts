import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "server-core/json/json-value";

/** Texts of a list; none when it is no list. */
export function textsOf(value: JsonValue | undefined): string[] {
  return isJsonArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Objects of a list; none when it is no list. */
export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  return isJsonArray(value) ? value.filter(isJsonObject) : [];
}
