/** Error codes of the transport. Source: RFC 9000, section 20.1 */
export const transportErrors = {
  noError: 0x00,
  internalError: 0x01,
  connectionRefused: 0x02,
  flowControlError: 0x03,
  streamLimitError: 0x04,
  streamStateError: 0x05,
  finalSizeError: 0x06,
  frameEncodingError: 0x07,
  transportParameterError: 0x08,
  connectionIdLimitError: 0x09,
  protocolViolation: 0x0a,
  invalidToken: 0x0b,
  applicationError: 0x0c,
  cryptoBufferExceeded: 0x0d,
  keyUpdateError: 0x0e,
  aeadLimitReached: 0x0f,
  /** Base of the codes for TLS alerts, to which the alert is added. Source: RFC 9001, section 4.8 */
  cryptoError: 0x0100,
} as const;

/**
 * The peer violated QUIC or exceeded a limit, and the connection must end. `code` is sent in CONNECTION_CLOSE; the
 * message names the fault.
 */
export class QuicError extends Error {
  override readonly name = "QuicError";
  readonly code: number;
  /** Type of the faulty frame; 0 when none is known. */
  readonly frameType: number;

  constructor(code: number, message: string, frameType = 0) {
    super(message);
    this.code = code;
    this.frameType = frameType;
  }
}
