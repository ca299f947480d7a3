// The library needs this polyfill to find its algorithms, so this import must come first.
import "../../../material/reflect-metadata.ts";
import { createHash, type X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:tls";
import { X509Certificate as LibraryCertificate } from "@peculiar/x509";
import { messageOf } from "server-core/errors";
import { challengeProtocol } from "../../../acme/challenge-names.ts";
import { identifierOid, reverseName } from "../../../acme/identifier-names.ts";
import { namesOf } from "../../../material/loaded-certificate.ts";
import { AcmeProblem } from "../acme-problem.ts";
import { canonicalName } from "../certificate-request.ts";
import type { Validator } from "./validation.ts";

/** Milliseconds without data from the name's server. Then the attempt fails. */
const timeoutMs = 10_000;

/**
 * The reason why a certificate is not the expected proof; undefined for the expected proof. @param digest SHA-256 of
 * the key authorization
 */
function faultOf(certificate: X509Certificate, name: string, digest: Buffer): string | undefined {
  const names = namesOf(certificate).map(canonicalName);
  if (names.length !== 1 || names[0] !== name) {
    return `the certificate is for ${names.slice(0, 5).join(", ") || "nobody"}, not for the name alone`;
  }
  const extension = new LibraryCertificate(certificate.raw).getExtension(identifierOid);
  // An OCTET STRING, DER: tag 4, length, digest.
  const wanted = Buffer.concat([Buffer.from([4, digest.length]), digest]);
  return extension?.critical === true && wanted.equals(Buffer.from(extension.value))
    ? undefined
    : "the certificate does not have the key authorization in a critical acmeIdentifier extension";
}

/**
 * Proof: the name's server sends a self-signed certificate that contains the key authorization. Source: RFC 8737, RFC
 * 8738
 */
export const validateTlsAlpn: Validator = async ({ name, keyAuthorization, signal }, { tlsPort }) => {
  const where = `${name}:${tlsPort}`;
  const socket = connect({
    host: name,
    port: tlsPort,
    servername: reverseName(name),
    ALPNProtocols: [challengeProtocol],
    rejectUnauthorized: false,
    timeout: timeoutMs,
  });
  socket.once("timeout", () => socket.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
  try {
    await once(socket, "secureConnect", { signal });
    const certificate = socket.getPeerX509Certificate();
    if (socket.alpnProtocol !== challengeProtocol || certificate === undefined) {
      throw new AcmeProblem("tls", `${where}: no agreement on ${challengeProtocol}`);
    }
    const fault = faultOf(certificate, name, createHash("sha256").update(keyAuthorization).digest());
    if (fault !== undefined) {
      throw new AcmeProblem("incorrectResponse", `${where}: ${fault}`);
    }
  } catch (error) {
    throw error instanceof AcmeProblem
      ? error
      : new AcmeProblem("connection", `${where}: ${messageOf(error)}`);
  } finally {
    // Errors after this point do not matter.
    socket.on("error", () => {});
    socket.destroy();
  }
};
