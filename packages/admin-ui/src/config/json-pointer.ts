import { isObject, type JsonValue } from "../api/json-value.ts";

/**
 * Splits a JSON pointer into unescaped parts: `/a~1b/0` gives `["a/b", "0"]`, and "" gives none. Source: RFC 6901
 */
export function pointerParts(pointer: string): string[] {
  if (pointer === "") {
    return [];
  }
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The pointer to a member below another pointer: `/a` and `b/c` give `/a/b~1c`. */
export function below(pointer: string, part: string | number): string {
  return `${pointer}/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The pointer to the parent of a place; "" for the top. */
export function above(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/** The last part, unescaped; "" for the top. */
export function lastPart(pointer: string): string {
  return pointerParts(pointer).at(-1) ?? "";
}

/** The value at a pointer; undefined when there is none. */
export function valueAt(document: JsonValue, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of pointerParts(pointer)) {
    if (Array.isArray(value)) {
      value = /^(0|[1-9]\d*)$/.test(part) ? value[Number(part)] : undefined;
    } else if (isObject(value)) {
      value = Object.hasOwn(value, part) ? value[part] : undefined;
    } else {
      return undefined;
    }
  }
  return value;
}

/** A path of the admin API as a pointer into the config: `/config/apps/http/` gives `/apps/http`. */
export function pointerOfPath(path: string): string {
  return path
    .replace(/^\/config\/?/, "/")
    .replace(/\/$/, "")
    .split("/")
    .map((part) => part.replaceAll("~", "~0"))
    .join("/");
}
