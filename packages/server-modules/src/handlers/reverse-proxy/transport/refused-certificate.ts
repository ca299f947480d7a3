import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { describeCertificate } from "certificates/material/loaded-certificate";

/** Matches certificate errors, from OpenSSL's verification and the check of names. */
const certificateCodes = /CERT|SIGNATURE|CRL|SELF_SIGNED|PATH_LENGTH|INVALID_(?:CA|PURPOSE)/;

/**
 * Observes a client handshake, so that the error names the certificate when it is refused.
 * @returns function that adds the certificate's name to an error of the socket; other errors stay unchanged
 */
export function watchCertificate(socket: TLSSocket): (error: Error) => Error {
  const { destroy } = socket;
  let certificate: X509Certificate | undefined;
  // The certificate is read here, because the socket no longer has it when it emits the error.
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
