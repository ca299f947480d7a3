/**
 * Faults in bytes from outside. Protocols map each code of this list to a status.
 * - `WIRE_TRUNCATED` the input ends in the middle of a value
 * - `WIRE_MALFORMED` a value breaks the format (bad wire type, varint too long, invalid JSON, bad hex)
 * - `WIRE_TOO_LARGE` the input, or a part of the input, exceeds a limit
 * - `WIRE_TOO_DEEP` values are nested deeper than the limit
 * - `WIRE_BAD_ID` a trace or span id has a wrong length
 */
export type WireErrorCode =
  | "WIRE_TRUNCATED"
  | "WIRE_MALFORMED"
  | "WIRE_TOO_LARGE"
  | "WIRE_TOO_DEEP"
  | "WIRE_BAD_ID";

/**
 * The error class of this package. The message is lower case and names the value and the limit.
 */
export class WireError extends Error {
  override readonly name = "WireError";
  readonly code: WireErrorCode;

  constructor(code: WireErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
