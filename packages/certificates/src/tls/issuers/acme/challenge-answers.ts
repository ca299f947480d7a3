import type { Logger } from "lifecycle";
import { LRUCache } from "lru-cache";
import { messageOf } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import { isChallengeToken } from "../../../acme/challenge-names.ts";
import { addressOf, canonicalName } from "../../../acme/identifier-names.ts";
import type { CertificateAnswer, ChallengeRequest } from "../../../material/certificate-messages.ts";
import { qualifiesForCertificate } from "../../subject-names.ts";
import type { CertificateIssuer, ChallengeQuestion } from "../issuer.ts";
import type { ChallengeBoard } from "./challenge-board.ts";

/**
 * Maximum number of concurrent storage lookups for challenges of other instances. Clients that send invented tokens
 * could cause any number. A further challenge gets no answer.
 */
const maxQuestions = 100;
/**
 * Maximum number of cached challenge certificates for other instances; a further one replaces the least recently used.
 * An authority checks from several places.
 */
const maxCertificates = 100;

/** The issuers of a name, and the storage of its certificates. */
export interface ChallengePolicy {
  readonly issuers: readonly CertificateIssuer[];
  readonly storage: Storage;
}

/**
 * Answers challenges of CAs. The answers of this process are in memory; the answers of other instances are in the
 * shared storage.
 */
export class ChallengeAnswers {
  readonly #board: ChallengeBoard;
  readonly #policyFor: (name: string) => ChallengePolicy;
  readonly #log: Logger;
  /**
   * Certificates that answer TLS-ALPN-01, by name and key authorization. They are cached, because each certificate
   * takes a new key and a signature.
   */
  readonly #certificates = new LRUCache<string, Promise<CertificateAnswer>>({ max: maxCertificates });
  /** Number of running storage lookups. */
  #questions = 0;

  constructor(board: ChallengeBoard, policyFor: (name: string) => ChallengePolicy, log: Logger) {
    this.#board = board;
    this.#policyFor = policyFor;
    this.#log = log;
  }

  /**
   * Answers HTTP-01, and requests for validation files. @returns undefined without a challenge for this token and host.
   * Never throws
   */
  async token({ token, host }: ChallengeRequest): Promise<string | undefined> {
    const own = this.#board.token({ token, host });
    if (own !== undefined) {
      return own;
    }
    return this.#ask(isChallengeToken(token) ? "http-01" : "pki-validation", canonicalName(host), token);
  }

  /**
   * Answers TLS-ALPN-01. @param serverName for an address: its name in the reverse zone. @throws errors of key
   * generation
   */
  async certificate(serverName: string): Promise<CertificateAnswer | undefined> {
    const own = this.#board.certificate(serverName);
    if (own !== undefined) {
      return own;
    }
    const name = canonicalName(addressOf(serverName) ?? serverName);
    const authorization = await this.#ask("tls-alpn-01", name, undefined);
    if (authorization === undefined) {
      return undefined;
    }
    const id = `challenge ${name} ${authorization}`;
    let made = this.#certificates.get(id);
    if (made === undefined) {
      made = import("./challenge-certificate.ts") // loaded on first use, because most starts prove no name
        .then(({ makeChallengeCertificate }) => makeChallengeCertificate(name, authorization))
        .then((each) => ({ id, certificates: [each] }));
      this.#certificates.set(id, made);
      made.catch(() => this.#certificates.delete(id));
    }
    return made;
  }

  /** Asks the issuers of the name, one after the other. A failure is logged and then treated as a missing answer. */
  async #ask(
    type: ChallengeQuestion["type"],
    name: string,
    token: string | undefined,
  ): Promise<string | undefined> {
    if (this.#questions >= maxQuestions || !qualifiesForCertificate(name)) {
      return undefined;
    }
    this.#questions++;
    try {
      const { issuers, storage } = this.#policyFor(name);
      for (const issuer of issuers) {
        const answer = await issuer.answerChallenge?.({ type, name, token, storage });
        if (answer !== undefined) {
          this.#log.debug(`${type} for ${name}: answered for another instance`);
          return answer;
        }
      }
    } catch (error) {
      this.#log.warn(`${type} for ${JSON.stringify(name)}: ${messageOf(error)}`);
    } finally {
      this.#questions--;
    }
    return undefined;
  }
}
