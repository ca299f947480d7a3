/**
 * ClickHouse's error codes that this process raises itself. All other codes come from the engine. Source: ClickHouse
 * src/Common/ErrorCodes.cpp
 */
const codes = {
  BAD_ARGUMENTS: 36,
  NOT_IMPLEMENTED: 48,
  SYNTAX_ERROR: 62,
  QUERY_IS_TOO_LARGE: 229,
  READONLY: 164,
  REQUIRED_PASSWORD: 194,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  NOT_ENOUGH_SPACE: 243,
  CANNOT_DECOMPRESS: 271,
  TOO_MANY_BYTES: 307,
  INTO_OUTFILE_NOT_ALLOWED: 358,
  QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING: 216,
  ABORTED: 236,
  QUERY_WAS_CANCELLED: 394,
  ACCESS_DENIED: 497,
  AUTHENTICATION_FAILED: 516,
  UNKNOWN_FORMAT: 73,
  SESSION_NOT_FOUND: 372,
  SESSION_IS_LOCKED: 373,
  CHECKSUM_DOESNT_MATCH: 40,
  SOCKET_TIMEOUT: 209,
  UNKNOWN_EXCEPTION: 1002,
} as const;

export type EngineErrorName = keyof typeof codes;

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
  return new EngineError(codes[name], `Code: ${codes[name]}. DB::Exception: ${text}. (${name})`, options);
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
