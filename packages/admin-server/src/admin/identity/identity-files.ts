import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { readPemFile } from "certificates/material/read-file";
import { errorAt, messageOf, ServerError } from "server-core/errors";
import type { IdentityConfig } from "./identity-config.ts";

/** A certificate and its key. */
export interface Credential {
  /** The parsed certificate, from which the names are read. */
  readonly certificate: X509Certificate;
  /** TLS context with certificate and key. */
  readonly context: SecureContext;
  /** Certificate and chain, PEM. */
  readonly cert: Buffer;
  /** The private key, PEM. */
  readonly key: Buffer;
}

/**
 * Reads a pair of files. @throws ServerError MODULE_CONFIG for an unreadable file, and for a key that does not belong
 * to its certificate
 */
async function readCredential(files: {
  readonly certificate: string;
  readonly key: string;
}): Promise<Credential> {
  try {
    const [cert, key] = await Promise.all([readPemFile(files.certificate), readPemFile(files.key)]);
    // Creating the context checks that certificate and key match.
    const context = createSecureContext({ cert, key, minVersion: "TLSv1.2" });
    return { certificate: new X509Certificate(cert), context, cert, key };
  } catch (error) {
    throw new ServerError("MODULE_CONFIG", `identity: ${files.certificate}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Identity certificates from files. */
export class IdentityFiles {
  readonly #credentials: readonly Credential[];

  private constructor(credentials: readonly Credential[]) {
    this.#credentials = credentials;
  }

  /** @throws ServerError MODULE_CONFIG naming the file */
  static async read(config: IdentityConfig | null | undefined): Promise<IdentityFiles> {
    const credentials: Credential[] = [];
    for (const [position, files] of (config?.certificates ?? []).entries()) {
      try {
        credentials.push(await readCredential(files));
      } catch (error) {
        throw errorAt(`/config/admin/identity/certificates/${position}`, error);
      }
    }
    return new IdentityFiles(credentials);
  }

  /** Finds the first certificate that covers a name. */
  find(name: string): Credential | undefined {
    return this.#credentials.find(({ certificate }) => certificate.checkHost(name) !== undefined);
  }

  /** Certificate for handshakes whose client sends no SNI. */
  get first(): Credential | undefined {
    return this.#credentials[0];
  }
}
