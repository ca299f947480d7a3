import type { EngineError } from "../engine-error.ts";

const statusByName: ReadonlyMap<string, number> = new Map(
  Object.entries({
    400:
      "BAD_ARGUMENTS CANNOT_COMPILE_REGEXP CANNOT_PARSE_TEXT CANNOT_PARSE_ESCAPE_SEQUENCE CANNOT_PARSE_QUOTED_STRING " +
      "CANNOT_PARSE_DATE CANNOT_PARSE_DATETIME CANNOT_PARSE_NUMBER CANNOT_PARSE_DOMAIN_VALUE_FROM_STRING " +
      "CANNOT_PARSE_IPV4 CANNOT_PARSE_IPV6 CANNOT_PARSE_INPUT_ASSERTION_FAILED CANNOT_PARSE_UUID DUPLICATE_COLUMN " +
      "ILLEGAL_COLUMN UNKNOWN_ELEMENT_IN_AST UNKNOWN_TYPE_OF_AST_NODE TOO_DEEP_AST TOO_BIG_AST " +
      "UNEXPECTED_AST_STRUCTURE SYNTAX_ERROR INCORRECT_DATA TYPE_MISMATCH VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE " +
      "CANNOT_DECOMPRESS",
    401: "REQUIRED_PASSWORD",
    403: "UNKNOWN_USER WRONG_PASSWORD AUTHENTICATION_FAILED SET_NON_GRANTED_ROLE ACCESS_DENIED",
    404:
      "UNKNOWN_TABLE UNKNOWN_FUNCTION UNKNOWN_IDENTIFIER UNKNOWN_TYPE UNKNOWN_STORAGE UNKNOWN_DATABASE " +
      "UNKNOWN_SETTING UNKNOWN_DIRECTION_OF_SORTING UNKNOWN_AGGREGATE_FUNCTION UNKNOWN_FORMAT " +
      "UNKNOWN_DATABASE_ENGINE UNKNOWN_TYPE_OF_QUERY NO_ELEMENTS_IN_CONFIG",
    408: "TIMEOUT_EXCEEDED",
    411: "HTTP_LENGTH_REQUIRED",
    413: "QUERY_IS_TOO_LARGE TOO_MANY_BYTES",
    501: "NOT_IMPLEMENTED",
    503: "SOCKET_TIMEOUT CANNOT_OPEN_FILE CANNOT_SCHEDULE_TASK TOO_MANY_SIMULTANEOUS_QUERIES NOT_ENOUGH_SPACE ABORTED",
  }).flatMap(([status, names]) => names.split(" ").map((name) => [name, Number(status)] as const)),
);

/** The name at the end of an error's text, such as `UNKNOWN_TABLE`; "" for a text without a name. */
function errorName(error: EngineError): string {
  return /\(([A-Z][A-Z0-9_]+)\)$/.exec(error.message)?.[1] ?? "";
}

/**
 * The HTTP status of an error, as in ClickHouse's server with two exceptions. ACCESS_DENIED becomes 403. For an
 * overloaded or stopping process and for a full disk, the status is 503 ("try again later") instead of 500. Source:
 * ClickHouse src/Server/HTTP/exceptionCodeToHTTPStatus.cpp
 */
export function errorStatus(error: EngineError): number {
  const isDiskFull = error.message.includes("No space left on device");
  return isDiskFull ? 503 : (statusByName.get(errorName(error)) ?? 500);
}
