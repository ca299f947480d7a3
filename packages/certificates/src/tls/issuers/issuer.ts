import type { KeyObject } from "node:crypto";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { Storage } from "server-core/storage/storage";

/** A certificate to be issued. */
export interface IssueRequest {
  /** A DNS name, which may start with `*.`, or an IP address. */
  readonly name: string;
  /** Private key of the certificate. The authority gets only the public key. */
  readonly key: KeyObject;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
  /** PEM of the old certificate when this one renews it; undefined for a first certificate. */
  readonly replaces?: string | undefined;
  /** Number of failed attempts for the name since its last success. */
  readonly failures: number;
  /** Storage for the certificate, which other instances also read. */
  readonly storage: Storage;
}

/** Types of challenges that one instance may answer for another. */
export type SharedChallengeType = "http-01" | "tls-alpn-01" | "pki-validation";

/** A CA's request that this process alone cannot answer. */
export interface ChallengeQuestion {
  /** Type of challenge that the CA checks. */
  readonly type: SharedChallengeType;
  /** The name to prove: a DNS name in lower case, or an IP address. */
  readonly name: string;
  /** The token of HTTP-01, or the name of a validation file; undefined for TLS-ALPN-01. */
  readonly token: string | undefined;
  /** The storage shared by the instances that manage the name. */
  readonly storage: Storage;
}

/** A certificate in the form that the CA issued. */
export interface IssuedCertificate {
  /** PEM of the certificate and its chain. */
  readonly chainPem: string;
  /** Stored beside the certificate, for people and for the renewal. */
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface CertificateIssuer extends ModuleInstance {
  /** Folder of the issuer's certificates in the storage. */
  readonly key: string;
  /** True when the issuer needs no other machine. A config waits for certificates of such issuers. */
  readonly local: boolean;
  /** Obtains a certificate. @throws ServerError with the refusing party and the reason */
  issue(request: IssueRequest): Promise<IssuedCertificate>;
  /**
   * Time at which the CA wants a certificate renewed; undefined without a suggestion.
   * @throws ServerError ACME
   */
  suggestRenewal?(chainPem: string, signal: AbortSignal): Promise<Date | undefined>;
  /**
   * Handles a challenge that another instance started. @returns the expected response; undefined for an unknown
   * challenge
   * @throws ServerError STORAGE; errors when a file is malformed
   */
  answerChallenge?(question: ChallengeQuestion): Promise<string | undefined>;
}

/** Modules that obtain certificates: `acme`, `internal`, `zerossl`. */
export const issuers: ModuleNamespace<CertificateIssuer> = { prefix: "tls.issuance" };
