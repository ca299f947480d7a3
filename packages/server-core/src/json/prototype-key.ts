import { ServerError } from "../errors.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "./json-value.ts";

/** A key that no config may have: readers by schema silently skip it, so it would do nothing. */
export const prototypeKey = "__proto__";

/**
 * @param path where `value` stands, `/config/…`
 * @throws ServerError MODULE_CONFIG naming the first `__proto__` at any depth
 */
export function refusePrototypeKey(value: JsonValue, path: string): void {
  if (isJsonArray(value)) {
    for (const [position, element] of value.entries()) {
      refusePrototypeKey(element, `${path}/${position}`);
    }
  } else if (isJsonObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      if (key === prototypeKey) {
        throw new ServerError("MODULE_CONFIG", `json: unknown field "${key}", at ${path}/${key}`);
      }
      refusePrototypeKey(child, `${path}/${key}`);
    }
  }
}
