/** Error codes of HTTP/3. Source: RFC 9114, section 8.1; RFC 9204, section 6 */
export const http3Errors = {
  noError: 0x100,
  generalProtocolError: 0x101,
  internalError: 0x102,
  streamCreationError: 0x103,
  closedCriticalStream: 0x104,
  frameUnexpected: 0x105,
  frameError: 0x106,
  excessiveLoad: 0x107,
  idError: 0x108,
  settingsError: 0x109,
  missingSettings: 0x10a,
  requestRejected: 0x10b,
  requestCancelled: 0x10c,
  requestIncomplete: 0x10d,
  messageError: 0x10e,
  qpackDecompressionFailed: 0x200,
  qpackEncoderStreamError: 0x201,
  qpackDecoderStreamError: 0x202,
} as const;

/**
 * The peer violated HTTP/3 or exceeded a limit. `code` ends the stream or the connection; the message names the fault.
 */
export class Http3Error extends Error {
  override readonly name = "Http3Error";
  readonly code: number;
  /** True when the whole connection must end; false: only the stream. */
  readonly endsConnection: boolean;

  constructor(code: number, message: string, endsConnection = true) {
    super(message);
    this.code = code;
    this.endsConnection = endsConnection;
  }
}
