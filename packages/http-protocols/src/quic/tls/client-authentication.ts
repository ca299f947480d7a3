import { type KeyObject, X509Certificate } from "node:crypto";
import { ByteReader } from "../wire/byte-reader.ts";
import { encodeMessage, extensionTypes, handshakeTypes, writeExtension } from "./handshake-messages.ts";
import { signatureSchemes, verifyTranscript } from "./signatures.ts";
import { alerts, shortMessage, tlsAlert } from "./tls-alert.ts";

/** Maximum number of certificates in a client's chain. A longer chain ends the connection. */
const maxChain = 16;

/** The certificates that a server requests from its clients. */
export interface ClientAuthentication {
  /** True when clients without a certificate are refused. */
  readonly required: boolean;
  /** Names of CAs, DER, by which clients choose among their certificates. Default: none are named. */
  readonly authorities?: readonly Buffer[];
  /**
   * Checks a client's chain. The client has proved that it owns the key of the first certificate. The function may call
   * `answer` immediately or later.
   * @param chain DER, the client's own certificate first; empty for a client without one
   * @param answer gets undefined when the client is accepted, otherwise the reason for the refusal
   */
  readonly verify: (chain: readonly Buffer[], answer: (problem: string | undefined) => void) => void;
}

/** Size limit in bytes of all CA names; with more, none are named, and clients choose without them. */
const maxAuthorityBytes = 8_192;

/** Encodes the message that requests a certificate of the client. Source: RFC 8446, section 4.3.2 */
export function encodeCertificateRequest({ authorities = [] }: ClientAuthentication): Buffer {
  const bytes = authorities.reduce((sum, { length }) => sum + 2 + length, 0);
  return encodeMessage(handshakeTypes.certificateRequest, (message) => {
    message.u8(0).vector(2, (extensions) => {
      writeExtension(extensions, extensionTypes.signatureAlgorithms, (writer) =>
        writer.vector(2, (list) => {
          for (const { id } of signatureSchemes) {
            list.u16(id);
          }
        }),
      );
      if (bytes > 0 && bytes <= maxAuthorityBytes) {
        writeExtension(extensions, extensionTypes.certificateAuthorities, (writer) =>
          writer.vector(2, (list) => {
            for (const name of authorities) {
              list.vector(2, (entry) => entry.bytes(name));
            }
          }),
        );
      }
    });
  });
}

/**
 * Reads the chain of a Certificate message of a client.
 * @returns DER, the client's own certificate first; empty for a client without one
 */
export function readCertificateChain(body: Buffer): Buffer[] {
  const reader = new ByteReader(body, shortMessage);
  if (reader.u8() !== 0) {
    throw tlsAlert(alerts.illegalParameter, "the client's Certificate answers no request of ours");
  }
  const list = new ByteReader(reader.take(reader.u24()), shortMessage);
  if (reader.left > 0) {
    throw tlsAlert(alerts.decodeError, "bytes behind the client's Certificate");
  }
  const chain: Buffer[] = [];
  while (list.left > 0) {
    if (chain.length === maxChain) {
      throw tlsAlert(alerts.badCertificate, `a chain of more than ${maxChain} certificates`);
    }
    chain.push(Buffer.from(list.take(list.u24())));
    list.take(list.u16());
  }
  return chain;
}

/** Checks that the client owns the key of its certificate. @throws QuicError with an alert */
export function checkCertificateVerify(body: Buffer, chain: readonly Buffer[], transcriptHash: Buffer): void {
  const reader = new ByteReader(body, shortMessage);
  const id = reader.u16();
  const signature = reader.take(reader.u16());
  const key = publicKeyOf(chain[0] as Buffer);
  const scheme = signatureSchemes.find((known) => known.id === id);
  const fits =
    scheme !== undefined &&
    scheme.keyType === key.asymmetricKeyType &&
    (scheme.curve === undefined || scheme.curve === key.asymmetricKeyDetails?.namedCurve);
  if (!fits || reader.left > 0) {
    throw tlsAlert(alerts.illegalParameter, "the client signs in a way that its key or the request excludes");
  }
  if (!verifyTranscript(scheme, key, { side: "client", hash: transcriptHash }, signature)) {
    throw tlsAlert(alerts.decryptError, "the client's signature is wrong");
  }
}

function publicKeyOf(certificate: Buffer): KeyObject {
  try {
    return new X509Certificate(certificate).publicKey;
  } catch {
    throw tlsAlert(alerts.badCertificate, "the client's certificate is none");
  }
}
