import { z } from "zod";
import { parseBool } from "../../go-text/parse-number.ts";
import { type BrokenLimit, QueryError } from "../../query-error.ts";

/** Common parameter of all endpoints; it changes only the layout of the answer. */
const formParameter = "prettyPrint";

/** Maximum number of quoted characters in an error message: a value may be long, or secret. */
const maxQuotedLength = 100;

// Creates an error. The message starts with the parameter, because clients show it beside the field.
function bad(parameter: string, reason: string, limit?: BrokenLimit, cause?: unknown): QueryError {
  return new QueryError("QUERY_BAD_PARAMETER", `parameter '${parameter}' ${reason}`, {
    parameter,
    limit,
    cause,
  });
}

// The value as JSON, so that blanks and control characters are visible in the message.
function quoted(text: string): string {
  return JSON.stringify(text.length > maxQuotedLength ? `${text.slice(0, maxQuotedLength)}…` : text);
}

/**
 * Parses a decimal number: "20", "+5", "0.5". Exponents, "0x10" and "Infinity" are refused, although `Number` accepts
 * them.
 */
function numberOf(name: string, text: string): number {
  if (!/^[+-]?\d{1,20}(\.\d{1,20})?$/.test(text)) {
    throw bad(name, `is not a number: ${quoted(text)}`);
  }
  return Number(text);
}

/**
 * Parses a boolean in Go's spellings, as Jaeger accepts them: "true", "1", "t", "false", "0", "f" and their upper
 * cases.
 */
function booleanOf(name: string, text: string): boolean {
  try {
    return parseBool(text);
  } catch (error) {
    throw bad(name, `is neither true nor false: ${quoted(text)}`, undefined, error);
  }
}

/** V8's error message quotes the input, so that message is not passed on. */
function objectOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad(name, "is not JSON", undefined, error);
  }
}

/**
 * The JSON type of each parameter, which determines how its text is parsed.
 *
 * ```
 * {limit: z.int(), tag: z.array(text), q: text}  →  limit: "integer", tag: "array", q: "string"
 * ```
 */
function typesOf(schema: z.ZodObject): Map<string, string> {
  return new Map(
    Object.entries(schema.shape).map(([name, field]) => {
      const { type, enum: choices } = z.toJSONSchema(field as z.ZodType, { io: "input" });
      return [name, String(type ?? (choices === undefined ? "object" : "string"))];
    }),
  );
}

/** Finds the limit that a zod issue violates. Texts and lists have lengths, numbers have values. */
function limitOf(issue: z.core.$ZodIssue): BrokenLimit | undefined {
  const length = "origin" in issue && issue.origin !== "number" && issue.origin !== "int" ? "Length" : "";
  if (issue.code === "too_big") {
    return { name: length === "" ? "maximum" : "maxLength", value: Number(issue.maximum) };
  }
  if (issue.code === "too_small") {
    return { name: length === "" ? "minimum" : "minLength", value: Number(issue.minimum) };
  }
  return undefined;
}

/** Message texts for each limit. */
const limitTexts: Readonly<Record<string, (limit: BrokenLimit["value"]) => string>> = {
  minimum: (limit) => `is less than the minimum of ${limit}`,
  maximum: (limit) => `is more than the maximum of ${limit}`,
  minLength: (limit) => `is shorter than the minimum of ${limit}`,
  maxLength: (limit) => `is longer than the maximum of ${limit}`,
};

/**
 * Validates a value and reports only the first fault, because a client corrects one parameter at a time.
 *
 * ```
 * columns=0      parameter 'columns' is less than the minimum of 1
 * colums=5       parameter 'colums' is not known here
 * (none)         parameter 'by' is required
 * order=size     parameter 'order' is wrong: invalid option: expected one of …
 * ```
 *
 * @throws QueryError QUERY_BAD_PARAMETER with the name and, if a limit is violated, the limit
 */
function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) {
    return data as z.output<S>;
  }
  const [issue] = error.issues;
  if (issue?.code === "unrecognized_keys") {
    const name = [...issue.path, issue.keys[0]].join(".");
    throw bad(name.slice(0, maxQuotedLength), "is not known here", undefined, error);
  }
  const name = issue?.path.join(".") || "body";
  const { message = "" } = issue ?? {};
  const isAbsent = issue?.code === "invalid_type" && message.endsWith("received undefined");
  const limit = issue && limitOf(issue);
  const reason = isAbsent
    ? "is required"
    : limit !== undefined
      ? limitTexts[limit.name]?.(limit.value)
      : `is wrong: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  throw bad(name, reason ?? "is wrong", limit, error);
}

/**
 * Creates a reader of URL parameters from a schema of JSON types. Numbers, booleans and objects are parsed from text
 * first. A parameter of an array type collects all its values. Any other parameter has its first value, and an empty
 * value counts as absent. An unknown parameter is refused.
 * @returns a reader that throws QueryError QUERY_BAD_PARAMETER with the parameter's name and the violated limit
 */
export function paramsReader<S extends z.ZodObject>(schema: S): (params: URLSearchParams) => z.output<S> {
  const types = typesOf(schema);
  return (params) => {
    const values: Record<string, unknown> = {};
    for (const name of new Set(params.keys())) {
      if (name === formParameter) {
        continue;
      }
      const all = params.getAll(name);
      const [text = ""] = all;
      const type = types.get(name);
      if (type === "array") {
        values[name] = all;
      } else if (text !== "" || type === undefined) {
        values[name] = parsedValue(name, text, type);
      }
    }
    return checked(schema, values);
  };
}

function parsedValue(name: string, text: string, type: string | undefined): unknown {
  switch (type) {
    case "integer":
    case "number":
      return numberOf(name, text);
    case "boolean":
      return booleanOf(name, text);
    case "object":
      return objectOf(name, text);
    default:
      return text;
  }
}

/**
 * Parses a JSON body with a schema.
 * @throws QueryError QUERY_BAD_PARAMETER with the path of the field and the violated limit
 */
export function readJson<S extends z.ZodType>(schema: S, body: Buffer): z.output<S> {
  return checked(schema, objectOf("body", body.toString("utf8")));
}
