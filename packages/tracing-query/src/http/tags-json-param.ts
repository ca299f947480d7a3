import { QueryError } from "../query-error.ts";

function bad(reason: string, cause?: unknown): QueryError {
  return new QueryError(
    "QUERY_BAD_PARAMETER",
    `malformed 'tags' parameter, cannot unmarshal JSON: ${reason}`,
    { cause },
  );
}

function wrongType(value: unknown, wanted: string): QueryError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return bad(`json: cannot unmarshal ${type} into Go value of type ${wanted}`);
}

/** V8's error message without the piece of input, which may have several lines. */
function syntaxError(error: unknown): QueryError {
  const message = error instanceof Error ? error.message : String(error);
  const plain = message.replace(/, ?(?:\.\.\.)?".*" is not valid JSON$/s, "");
  return bad(plain.charAt(0).toLowerCase() + plain.slice(1), error);
}

/**
 * Reads the `tags` parameter: a JSON object of strings. `null` instead of the object means no tags; `null` as
 * a value means an empty text.
 * @throws QueryError QUERY_BAD_PARAMETER in the public model's words for a value of a wrong type, in V8's for
 *   a syntax error
 */
export function parseTagsJson(text: string): [key: string, value: string][] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw syntaxError(error);
  }
  if (json === null) {
    return [];
  }
  if (typeof json !== "object" || Array.isArray(json)) {
    throw wrongType(json, "map[string]string");
  }
  return Object.entries(json).map(([key, value]) => {
    if (value !== null && typeof value !== "string") {
      throw wrongType(value, "string");
    }
    return [key, value ?? ""];
  });
}
