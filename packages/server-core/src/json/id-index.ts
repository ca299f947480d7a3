import { ServerError } from "../errors.ts";
import { isJsonArray, isJsonObject, type JsonValue, member } from "./json-value.ts";

/** The member with which a client names an object, to address it as `/id/<name>`. */
export const idKey = "@id";

/** JSON pointers by `@id`. The document itself is the member `config`. */
export type IdIndex = ReadonlyMap<string, string>;

/** Encodes a key for a JSON pointer; nearly all keys are unchanged. Source: RFC 6901, section 3 */
function pointerToken(key: string): string {
  return /[~/]/.test(key) ? `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}` : `/${key}`;
}

function collect(value: JsonValue, path: string, index: Map<string, string>): void {
  if (isJsonArray(value)) {
    for (const [position, element] of value.entries()) {
      collect(element, `${path}/${position}`, index);
    }
  } else if (isJsonObject(value)) {
    const id = member(value, idKey);
    if (id !== undefined) {
      if (typeof id !== "string" && typeof id !== "number") {
        throw new ServerError("CONFIG_ID", `${path}: ${idKey} field must be a string or number`);
      }
      const existing = index.get(String(id));
      if (existing !== undefined) {
        throw new ServerError("CONFIG_ID", `duplicate ID '${id}' found at ${existing} and ${path}`);
      }
      index.set(String(id), path);
    }
    for (const [key, child] of Object.entries(value)) {
      if (key !== idKey) {
        collect(child, path + pointerToken(key), index);
      }
    }
  }
}

/**
 * Finds every `@id` of a document.
 * @returns id → JSON pointer, `/config/…`
 * @throws ServerError CONFIG_ID when an id is not a string or number, or occurs twice
 */
export function indexIds(document: JsonValue): IdIndex {
  const index = new Map<string, string>();
  try {
    collect(document, "/config", index);
  } catch (error) {
    throw error instanceof ServerError
      ? new ServerError(error.code, `indexing config: ${error.message}`)
      : error;
  }
  return index;
}

/** Results without ids, by object. Documents share objects that a change does not touch. */
const stripped = new WeakMap<object, JsonValue>();

/**
 * The value without its `@id` members, at any depth. An object without ids is returned unchanged, and the same object
 * always gives the same result.
 */
export function withoutIds(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const known = stripped.get(value);
  if (known !== undefined) {
    return known;
  }
  const result = strip(value);
  stripped.set(value, result);
  return result;
}

function strip(value: JsonValue): JsonValue {
  if (isJsonArray(value)) {
    const elements = value.map(withoutIds);
    return elements.every((element, position) => element === value[position]) ? value : elements;
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value);
    const kept = members
      .filter(([key]) => key !== idKey)
      .map(([key, child]) => [key, withoutIds(child)] as const);
    const same = kept.length === members.length && kept.every(([key, child]) => child === value[key]);
    return same ? value : Object.fromEntries(kept);
  }
  return value;
}
