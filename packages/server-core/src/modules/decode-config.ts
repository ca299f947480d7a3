import type { z } from "zod";
import { ServerError } from "../errors.ts";
import { isJsonArray, type JsonValue } from "../json/json-value.ts";
import { unchangedCheck } from "./unchanged-check.ts";
import { withZeroElements } from "./zero-elements.ts";

function kindOf(value: unknown): string {
  return value === null
    ? "null"
    : isJsonArray(value as JsonValue)
      ? "array"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (current as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  );
}

/** The most useful issue of a union: from the branch that matched the deepest. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") {
    return issue;
  }
  const inner = issue.errors
    .flat()
    .map((each) => ({ ...deepest(each), path: [...issue.path, ...deepest(each).path] }));
  const best = inner.sort((a, b) => b.path.length - a.path.length)[0];
  return best !== undefined && best.path.length > issue.path.length ? (best as z.core.$ZodIssue) : issue;
}

function reason(
  issue: z.core.$ZodIssue,
  input: unknown,
): { readonly text: string; readonly path: PropertyKey[] } {
  const path = [...issue.path];
  if (issue.code === "unrecognized_keys") {
    const field = issue.keys[0] ?? "";
    return { text: `json: unknown field ${JSON.stringify(field)}`, path: [...path, field] };
  }
  const found = at(input, path);
  if (typeof found === "number" && !Number.isFinite(found)) {
    return { text: "json: a number is out of the range of an IEEE double", path };
  }
  if (issue.code === "invalid_type" && issue.expected !== "null") {
    return found === undefined
      ? { text: `json: field ${JSON.stringify(String(path.at(-1) ?? ""))} is missing`, path }
      : {
          text: `json: cannot unmarshal ${kindOf(found)} into a value of type ${issue.expected === "record" ? "object" : issue.expected}`,
          path,
        };
  }
  return { text: issue.code === "invalid_union" ? "json: value of a wrong type" : issue.message, path };
}

export interface ConfigFault {
  /** Path of the faulty field: `/config/apps/http/bogus`. */
  readonly path: string;
  /** Reason without the path. */
  readonly message: string;
}

/**
 * All faults that a schema found in a config.
 * @param error result of the schema
 * @param value the validated value. @param where path of `value` in the document, `/config/…`
 */
export function configFaults(error: z.ZodError, value: JsonValue, where: string): ConfigFault[] {
  const faults = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => reason({ ...issue, keys: [key] }, value))
      : [reason(deepest(issue), value)],
  );
  return faults.map(({ text, path }) => ({ path: [where, ...path.map(String)].join("/"), message: text }));
}

/** Validates a config with a schema. A null element of a list becomes the zero value of the element's type. */
export function parseConfig<Config>(
  schema: z.ZodType<Config>,
  value: JsonValue,
): z.ZodSafeParseResult<Config> {
  const result = schema.safeParse(value);
  const filled = result.success ? undefined : withZeroElements(result.error, value);
  const again = filled === undefined ? undefined : schema.safeParse(filled);
  return again?.success === true ? again : result;
}

/**
 * Decodes config strictly by its schema. Parts that the schema leaves unchanged are the same objects as in
 * the document, and must not be changed.
 * @param where path of `value` in the document, `/config/…`, for the path in the error
 * @throws ServerError MODULE_CONFIG, e.g. `json: unknown field "bogus", at /config/apps/http/bogus`
 */
export function decodeConfig<Config>(schema: z.ZodType<Config>, value: JsonValue, where: string): Config {
  if (unchangedCheck(schema)(value)) {
    return value as Config;
  }
  const result = parseConfig(schema, value);
  if (result.success) {
    return result.data;
  }
  const [fault = { path: where, message: "json: refused" }] = configFaults(result.error, value, where);
  throw new ServerError("MODULE_CONFIG", `${fault.message}, at ${fault.path}`, {
    cause: result.error,
    path: fault.path,
  });
}
