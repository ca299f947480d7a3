import { createSecureContext, type SecureContext } from "node:tls";
import type { LoadedCertificate } from "certificates/material/loaded-certificate";
import type { IdentityCertificates } from "./identity-certificates.ts";
import type { IdentityFiles } from "./identity-files.ts";

/** Minimum TLS version for the server's identity. */
export const identityMinVersion = "TLSv1.2";

/** Cache of TLS contexts by certificate. A certificate object never changes, so its context stays valid. */
const contexts = new WeakMap<LoadedCertificate, SecureContext>();

/** The TLS context of an obtained certificate, created once. */
function contextOf(certificate: LoadedCertificate): SecureContext {
  let context = contexts.get(certificate);
  if (context === undefined) {
    context = createSecureContext({
      cert: certificate.chainPem,
      key: certificate.keyPem,
      minVersion: identityMinVersion,
    });
    contexts.set(certificate, context);
  }
  return context;
}

/** A certificate and its key, PEM. */
export interface ShownCertificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Converts a certificate to the form that TLS options need. */
export function shownCertificate(certificate: LoadedCertificate | undefined): ShownCertificate | undefined {
  return certificate === undefined ? undefined : { cert: certificate.chainPem, key: certificate.keyPem };
}

/** The server's identity certificates: first the certificates from files, then the obtained certificates. */
export class ServerIdentity {
  readonly #files: IdentityFiles;
  readonly #obtained: IdentityCertificates;

  /** @param obtained certificates that may change, so they are read at each use */
  constructor(files: IdentityFiles, obtained: IdentityCertificates) {
    this.#files = files;
    this.#obtained = obtained;
  }

  /** The certificate for a handshake without SNI or with an unknown name; undefined without any certificate. */
  get usual(): ShownCertificate | undefined {
    return this.#files.first ?? shownCertificate(this.#obtained.usual);
  }

  /** The TLS context for a handshake with this name; undefined without any certificate. */
  contextFor(name: string): SecureContext | undefined {
    const fromFiles = this.#files.find(name);
    if (fromFiles !== undefined) {
      return fromFiles.context;
    }
    const found = this.#obtained.find(name) ?? (this.#files.first ? undefined : this.#obtained.usual);
    return found === undefined ? this.#files.first?.context : contextOf(found);
  }
}
