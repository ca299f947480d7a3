import { ServerError } from "../errors.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "./json-value.ts";

/** A key that no config may have: schema validation silently skips it, so the member would have no effect. */
export const prototypeKey = "__proto__";

/**
 * @param path path of `value`, `/config/…`
 * @throws ServerError MODULE_CONFIG with the first `__proto__` at any depth
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
