/**
 * Numbers of ClickHouse's errors that this process raises or treats in a special way, by name. A test compares them with
 * the engine. Source: ClickHouse src/Common/ErrorCodes.cpp
 */
export const engineErrorCodes = {
  UNEXPECTED_END_OF_FILE: 3,
  CANNOT_PARSE_INPUT_ASSERTION_FAILED: 27,
  ATTEMPT_TO_READ_AFTER_EOF: 32,
  CANNOT_READ_ALL_DATA: 33,
  BAD_ARGUMENTS: 36,
  TOO_LARGE_SIZE_COMPRESSED: 39,
  CHECKSUM_DOESNT_MATCH: 40,
  NOT_IMPLEMENTED: 48,
  UNKNOWN_TABLE: 60,
  SYNTAX_ERROR: 62,
  UNKNOWN_FORMAT: 73,
  CANNOT_READ_FROM_FILE_DESCRIPTOR: 74,
  CANNOT_OPEN_FILE: 76,
  FILE_DOESNT_EXIST: 107,
  INCORRECT_DATA: 117,
  READONLY: 164,
  REQUIRED_PASSWORD: 194,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  SOCKET_TIMEOUT: 209,
  QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING: 216,
  NO_FILE_IN_DATA_PART: 226,
  BAD_SIZE_OF_FILE_IN_DATA_PART: 228,
  QUERY_IS_TOO_LARGE: 229,
  NO_SUCH_DATA_PART: 232,
  ABORTED: 236,
  NOT_ENOUGH_SPACE: 243,
  CORRUPTED_DATA: 246,
  CANNOT_DECOMPRESS: 271,
  TOO_MANY_BYTES: 307,
  ZLIB_INFLATE_FAILED: 354,
  INTO_OUTFILE_NOT_ALLOWED: 358,
  SESSION_NOT_FOUND: 372,
  SESSION_IS_LOCKED: 373,
  QUERY_WAS_CANCELLED: 394,
  UNKNOWN_CODEC: 432,
  ACCESS_DENIED: 497,
  AUTHENTICATION_FAILED: 516,
  UNKNOWN_EXCEPTION: 1002,
} as const;

export type EngineErrorName = keyof typeof engineErrorCodes;

/**
 * The error class of this package, in ClickHouse's form: a number, a name, and a text `Code: 60.
 * DB::Exception: … (UNKNOWN_TABLE)`.
 */
export class EngineError extends Error {
  override readonly name = "EngineError";
  /** ClickHouse's number of the error. */
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Makes an error of this process in the engine's form. @param text text without code and name */
export function engineError(name: EngineErrorName, text: string, options?: ErrorOptions): EngineError {
  return new EngineError(
    engineErrorCodes[name],
    `Code: ${engineErrorCodes[name]}. DB::Exception: ${text}. (${name})`,
    options,
  );
}

/**
 * Removes the wrapping of errors from the engine's threads: they have a repeated prefix, and contain name and version.
 */
function unwrapped(message: string): string {
  return message
    .replace(/^(Code: \d+\. DB::Exception: )(?:Code: \d+\. DB::Exception: )+/, "$1")
    .replace(/\s*(\([A-Z][A-Z0-9_]+\)) \(version [\d.]+\)/g, " $1")
    .replace(/(\([A-Z][A-Z0-9_]+\))(?:\.? \1)+$/, "$1")
    .trimEnd();
}

/**
 * Converts an error to an `EngineError` with the code from its text. A text without a code gets 1002,
 * UNKNOWN_EXCEPTION.
 */
export function toEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) {
    return error;
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")) {
    return engineError("NOT_ENOUGH_SPACE", `the disk of the data folder is full: ${message}`, {
      cause: error,
    });
  }
  const code = /^Code: (\d+)\./.exec(message)?.[1];
  return code === undefined
    ? engineError("UNKNOWN_EXCEPTION", message, { cause: error })
    : new EngineError(Number(code), unwrapped(message), { cause: error });
}
