import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { StartError } from "../errors.ts";

/** Size limit of a PEM file. The authorities of a whole system have about 200 KiB. */
const maxPemFileBytes = 4 * 1024 * 1024;

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Reads a PEM file. @throws StartError with option and path for an unreadable file, and for a file above 4 MiB */
export function readPemFile(path: string, option: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new StartError(`option --${option}: cannot read ${path}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (bytes.length > maxPemFileBytes) {
    throw new StartError(
      `option --${option}: ${path} has ${bytes.length} bytes, over the limit of ${maxPemFileBytes}`,
    );
  }
  return bytes;
}

/**
 * The certificates of a PEM file; never empty.
 * @throws StartError for a file without a certificate, and for an invalid certificate
 */
export function certificatesOf(pem: Buffer, path: string, option: string): X509Certificate[] {
  const blocks = pem.toString("latin1").match(certificatePattern) ?? [];
  if (blocks.length === 0) {
    throw new StartError(`option --${option}: ${path} holds no certificate in PEM form`);
  }
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw new StartError(
        `option --${option}: certificate ${index + 1} of ${path} cannot be parsed: ${(error as Error).message}`,
        { cause: error },
      );
    }
  });
}

/** A certificate and its key, with the bytes of their files. */
export interface KeyPair {
  /** Certificate, PEM, followed by the intermediate certificates up to the root. */
  readonly cert: Buffer;
  /** Private key, PEM, without passphrase. */
  readonly key: Buffer;
  /** The first certificate of the file, which is sent to the peer. */
  readonly certificate: X509Certificate;
}

/**
 * Reads a certificate and its key, and checks that they belong together.
 * @param prefix the options are `<prefix>.tls.cert` and `<prefix>.tls.key`
 * @throws StartError for a malformed file, an encrypted key, or a key that does not belong to the certificate
 */
export function readKeyPair(certPath: string, keyPath: string, prefix: string): KeyPair {
  const cert = readPemFile(certPath, `${prefix}.tls.cert`);
  const key = readPemFile(keyPath, `${prefix}.tls.key`);
  const [certificate] = certificatesOf(cert, certPath, `${prefix}.tls.cert`);
  if (certificate === undefined) {
    throw new StartError(`option --${prefix}.tls.cert: ${certPath} holds no certificate in PEM form`);
  }
  let privateKey: ReturnType<typeof createPrivateKey>;
  try {
    privateKey = createPrivateKey(key);
  } catch (error) {
    throw new StartError(
      `option --${prefix}.tls.key: ${keyPath} holds no private key in PEM form without a passphrase: ${(error as Error).message}`,
      { cause: error },
    );
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new StartError(
      `option --${prefix}.tls.key: the private key in ${keyPath} is not that of the certificate in ${certPath}`,
    );
  }
  return { cert, key, certificate };
}
