import { parseInteger } from "../go-text/parse-number.ts";
import { QueryError } from "../query-error.ts";

/** Runs a parser and adds the parameter's name to its error. */
export function parsedParam<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new QueryError("QUERY_BAD_PARAMETER", `unable to parse param '${name}': ${message}`, {
      cause: error,
    });
  }
}

/** Parses a signed 64-bit integer. @returns undefined when absent or empty @throws QueryError QUERY_BAD_PARAMETER */
export function integerParam(params: URLSearchParams, name: string): bigint | undefined {
  const text = params.get(name) ?? "";
  return text === "" ? undefined : parsedParam(name, () => parseInteger(text, 64));
}
