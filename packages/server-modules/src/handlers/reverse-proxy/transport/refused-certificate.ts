import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { describeCertificate } from "certificates/material/loaded-certificate";

/** Codes of faults in a certificate, from OpenSSL's verification and the check of names. */
const certificateCodes = /CERT|SIGNATURE|CRL|SELF_SIGNED|PATH_LENGTH|INVALID_(?:CA|PURPOSE)/;

/**
 * Watches a client's handshake, and says whose certificate it was when it is refused.
 * @returns gives an error of the socket with the certificate's name in its message; other errors as they are
 */
export function watchCertificate(socket: TLSSocket): (error: Error) => Error {
  const { destroy } = socket;
  let certificate: X509Certificate | undefined;
  // The socket has it no longer when it tells of the error.
  socket.destroy = (error?: Error) => {
    if (error !== undefined) {
      certificate ??= socket.getPeerX509Certificate();
    }
    return destroy.call(socket, error);
  };
  socket.once("secureConnect", () => {
    socket.destroy = destroy;
  });
  return (error) => {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (certificate === undefined || !certificateCodes.test(code)) {
      return error;
    }
    const until = certificate.validToDate.toISOString();
    // Node adds advice about its command line, which does not apply here.
    const reason = error.message.replace(/; if the root CA is installed locally.*$/, "");
    return Object.assign(
      new Error(`certificate ${describeCertificate(certificate)} (valid until ${until}): ${reason}`, {
        cause: error,
      }),
      { code },
    );
  };
}
