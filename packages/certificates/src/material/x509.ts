// The library needs this polyfill to find its algorithms, so this import must come first.
import "./reflect-metadata.ts";
import { createPublicKey, type KeyObject, randomBytes, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as LibraryCertificate,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { messageOf, ServerError } from "server-core/errors";
import { webKey } from "./key-pair.ts";

/** The content of a new certificate. */
export interface CertificatePlan {
  /** Common name of the subject; "" for none. */
  readonly commonName: string;
  /** DNS names and IP addresses; empty for a CA. */
  readonly names: readonly string[];
  /** The key that the certificate is for. */
  readonly publicKey: KeyObject;
  /** Clients refuse the certificate before this time. */
  readonly notBefore: Date;
  /** End of the validity. Clients refuse the certificate after this time. */
  readonly notAfter: Date;
  /** For a CA certificate: limit of CA certificates below it. Undefined for a leaf. */
  readonly pathLength?: number;
  /** Certificate of the issuer; absent: self-signed. */
  readonly issuer?: X509Certificate | undefined;
  /** The private key that signs: the issuer's key, or the certificate's own key without an issuer. */
  readonly issuerKey: KeyObject;
  /** Further extensions, for example the extension of the TLS-ALPN-01 challenge. */
  readonly extensions?: readonly Extension[];
}

function generalNames(names: readonly string[]): JsonGeneralName[] {
  return names.map((name) => ({ type: isIP(name) === 0 ? "dns" : "ip", value: name }));
}

/** A positive number of 16 bytes. Source: RFC 5280, section 4.1.2.2 */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}

/** Makes and signs a certificate. @throws ServerError CERTIFICATE */
export async function makeCertificate(plan: CertificatePlan): Promise<X509Certificate> {
  const { issuer, pathLength } = plan;
  const publicKey = webKey(plan.publicKey).key;
  const signing = webKey(plan.issuerKey);
  const extensions: Extension[] = [
    new KeyUsagesExtension(
      pathLength === undefined
        ? KeyUsageFlags.digitalSignature
        : KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign,
      true,
    ),
    await SubjectKeyIdentifierExtension.create(publicKey),
  ];
  if (pathLength === undefined) {
    extensions.push(
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    );
  } else {
    extensions.push(new BasicConstraintsExtension(true, pathLength, true));
  }
  if (issuer !== undefined) {
    const issuerPublic = webKey(issuer.publicKey).key;
    extensions.push(await AuthorityKeyIdentifierExtension.create(issuerPublic));
  }
  if (plan.names.length > 0) {
    // Critical when the subject is empty: RFC 5280, section 4.2.1.6.
    extensions.push(new SubjectAlternativeNameExtension(generalNames(plan.names), plan.commonName === ""));
  }
  extensions.push(...(plan.extensions ?? []));
  const subject = plan.commonName === "" ? "" : [{ CN: [plan.commonName] }];
  try {
    const certificate = await X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject,
      issuer: issuer === undefined ? subject : new LibraryCertificate(issuer.raw).subjectName.toJSON(),
      notBefore: plan.notBefore,
      notAfter: plan.notAfter,
      publicKey,
      signingKey: signing.key,
      signingAlgorithm: signing.algorithm,
      extensions,
    });
    return new X509Certificate(Buffer.from(certificate.rawData));
  } catch (error) {
    throw new ServerError("CERTIFICATE", `making a certificate: ${messageOf(error)}`, { cause: error });
  }
}

/** A request for a certificate (PKCS #10), DER. */
export async function makeRequest(
  names: readonly string[],
  privateKey: KeyObject,
  extensions: readonly Extension[] = [],
): Promise<Buffer> {
  const { key, algorithm } = webKey(privateKey);
  const publicKey = webKey(createPublicKey(privateKey)).key;
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: { privateKey: key, publicKey },
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension(generalNames(names)), ...extensions],
  });
  return Buffer.from(request.rawData);
}
