import { QuicError, transportErrors } from "../quic-error.ts";

/** Numbers of TLS alerts. Source: RFC 8446, section 6 */
export const alerts = {
  unexpectedMessage: 10,
  handshakeFailure: 40,
  badCertificate: 42,
  illegalParameter: 47,
  decodeError: 50,
  decryptError: 51,
  protocolVersion: 70,
  internalError: 80,
  unrecognizedName: 112,
  missingExtension: 109,
  certificateRequired: 116,
  noApplicationProtocol: 120,
} as const;

/** The error that carries a TLS alert in QUIC. Source: RFC 9001, section 4.8 */
export function tlsAlert(alert: number, message: string): QuicError {
  return new QuicError(transportErrors.cryptoError + alert, message, 0x06);
}

/** Error for a message that ends too early, for readers of TLS. */
export const shortMessage = (): QuicError => tlsAlert(alerts.decodeError, "a TLS message ends too early");
