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
  /** PEM of the certificate that the new one replaces; undefined for a first certificate. */
  readonly replaces?: string | undefined;
  /** Number of failed attempts for the name since it last got a certificate. */
  readonly failures: number;
  /** Storage of the certificate, which other instances read too. */
  readonly storage: Storage;
}

/** Types of challenges that one instance may answer for another. */
export type SharedChallengeType = "http-01" | "tls-alpn-01" | "pki-validation";

/** A CA's request for which this process has no response. */
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

/** A certificate as issued by its authority. */
export interface IssuedCertificate {
  /** PEM of the certificate and its chain. */
  readonly chainPem: string;
  /** Stored beside the certificate, for people and for the renewal. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Issues certificates. */
export interface CertificateIssuer extends ModuleInstance {
  /** Folder of the issuer's certificates in the storage. */
  readonly key: string;
  /** True when the issuer needs no other machine. A config then waits for its certificates. */
  readonly local: boolean;
  /** Obtains a certificate. @throws ServerError with the refusing party and the reason */
  issue(request: IssueRequest): Promise<IssuedCertificate>;
  /**
   * Time at which the CA wants a certificate renewed; undefined when it does not suggest one.
   * @throws ServerError ACME
   */
  suggestRenewal?(chainPem: string, signal: AbortSignal): Promise<Date | undefined>;
  /**
   * Handles a challenge that another instance started. @returns the expected response; undefined when there is none
   * @throws ServerError STORAGE; errors when a file is malformed
   */
  answerChallenge?(question: ChallengeQuestion): Promise<string | undefined>;
}

/** Modules that obtain certificates: `acme`, `internal`, `zerossl`. */
export const issuers: ModuleNamespace<CertificateIssuer> = { prefix: "tls.issuance" };
