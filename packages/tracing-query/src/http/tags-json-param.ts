import { QueryError } from "../query-error.ts";

function bad(what: string, reason: string, cause?: unknown): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `malformed ${what}, cannot unmarshal JSON: ${reason}`, {
    cause,
  });
}

function wrongType(what: string, value: unknown, wanted: string): QueryError {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return bad(what, `json: cannot unmarshal ${type} into Go value of type ${wanted}`);
}

/** V8's complaint, without the piece of the input that it may quote over several lines. */
function syntaxError(what: string, error: unknown): QueryError {
  const message = error instanceof Error ? error.message : String(error);
  const plain = message.replace(/, ?(?:\.\.\.)?".*" is not valid JSON$/s, "");
  return bad(what, plain.charAt(0).toLowerCase() + plain.slice(1), error);
}

/**
 * Reads a parameter of tags: a JSON object of strings. `null` as the whole is no tags, as a value the empty text.
 * @param what name of the parameter, for errors
 * @throws QueryError QUERY_BAD_PARAMETER; a value of a wrong type in the public model's words, a syntax error in V8's
 */
export function parseTagsJson(text: string, what = "'tags' parameter"): [key: string, value: string][] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw syntaxError(what, error);
  }
  if (json === null) {
    return [];
  }
  if (typeof json !== "object" || Array.isArray(json)) {
    throw wrongType(what, json, "map[string]string");
  }
  return Object.entries(json).map(([key, value]) => {
    if (value !== null && typeof value !== "string") {
      throw wrongType(what, value, "string");
    }
    return [key, value ?? ""];
  });
}
