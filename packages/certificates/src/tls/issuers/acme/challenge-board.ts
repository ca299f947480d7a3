import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import { canonicalName } from "../../../acme/identifier-names.ts";
import type { CertificateAnswer, ChallengeRequest } from "../../../material/certificate-messages.ts";

/** Answers to running challenges of this process. Serving threads get them from the main thread. */
export class ChallengeBoard implements SharedResource {
  /** Answers by token. An answer is only for requests to the same host. */
  readonly #tokens = new Map<string, { readonly host: string; readonly answer: string }>();
  /** Certificates by the server name of the handshake, which for an IP address is its name in the reverse zone. */
  readonly #certificates = new Map<string, CertificateAnswer>();

  /**
   * Adds an answer for HTTP-01. @param host the name to prove. Requests for other hosts get no answer, so that
   * the token cannot prove another name. @returns a function that removes the token
   */
  pinToken(token: string, host: string, answer: string): () => void {
    this.#tokens.set(token, { host: canonicalName(host), answer });
    return () => this.#tokens.delete(token);
  }

  /** Adds a certificate for TLS-ALPN-01. @returns a function that removes the certificate */
  pinCertificate(name: string, certificate: { readonly cert: string; readonly key: string }): () => void {
    this.#certificates.set(name, { id: `challenge ${name}`, certificates: [certificate] });
    return () => this.#certificates.delete(name);
  }

  close(): void {
    this.#tokens.clear();
    this.#certificates.clear();
  }

  /** @returns the key authorization; undefined when the board has no answer for this token and host */
  token({ token, host }: ChallengeRequest): string | undefined {
    const pinned = this.#tokens.get(token);
    return pinned !== undefined && pinned.host === canonicalName(host) ? pinned.answer : undefined;
  }

  /** @returns undefined when no challenge of this process is for this name */
  certificate(name: string): CertificateAnswer | undefined {
    return this.#certificates.get(name);
  }
}

/** The board of all configs, because a challenge outlives a change of config. */
export const challengeBoards: ResourceKind<ChallengeBoard> = { name: "tls.challenges" };
