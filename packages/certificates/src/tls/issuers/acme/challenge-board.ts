import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import { canonicalName } from "../../../acme/identifier-names.ts";
import type { CertificateAnswer, ChallengeRequest } from "../../../material/certificate-messages.ts";

/** Tokens that authorities will request. One board for the process: serving threads read it. */
export class ChallengeBoard implements SharedResource {
  /** By token; the host must fit too. */
  readonly #tokens = new Map<string, { readonly host: string; readonly answer: string }>();
  /** By the name that the handshake asks for: for addresses that in the reverse zone. */
  readonly #certificates = new Map<string, CertificateAnswer>();

  /**
   * Shows a token for HTTP-01. @param host the name to prove; requests for other hosts get no answer, so that
   * nobody proves another name with it. @returns removes the token
   */
  pinToken(token: string, host: string, answer: string): () => void {
    this.#tokens.set(token, { host: canonicalName(host), answer });
    return () => this.#tokens.delete(token);
  }

  /** Shows a certificate for TLS-ALPN-01. @returns removes it */
  pinCertificate(name: string, certificate: { readonly cert: string; readonly key: string }): () => void {
    this.#certificates.set(name, { id: `challenge ${name}`, certificates: [certificate] });
    return () => this.#certificates.delete(name);
  }

  close(): void {
    this.#tokens.clear();
    this.#certificates.clear();
  }

  /** @returns the key authorization; undefined when the token is not pinned for this host */
  token({ token, host }: ChallengeRequest): string | undefined {
    const pinned = this.#tokens.get(token);
    return pinned !== undefined && pinned.host === canonicalName(host) ? pinned.answer : undefined;
  }

  /** @returns undefined when no challenge of this process is for the name */
  certificate(name: string): CertificateAnswer | undefined {
    return this.#certificates.get(name);
  }
}

/** One board for all configs: a challenge outlives a change of config. */
export const challengeBoards: ResourceKind<ChallengeBoard> = { name: "tls.challenges" };
