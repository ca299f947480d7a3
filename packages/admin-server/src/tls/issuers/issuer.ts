import type { KeyObject } from "node:crypto";
import type { ModuleInstance, ModuleNamespace } from "../../core/modules/module.ts";

/** A certificate to be issued. */
export interface IssueRequest {
  readonly name: string;
  readonly key: KeyObject;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** PEM of the certificate that it replaces. */
  readonly replaces?: string | undefined;
  /** How many attempts for the name failed since it last got a certificate. */
  readonly failures: number;
}

export interface IssuedCertificate {
  /** PEM of the certificate and its chain. */
  readonly chainPem: string;
  /** Kept beside the certificate, for people and for renewal. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Who issues certificates. */
export interface CertificateIssuer extends ModuleInstance {
  /** Folder of its certificates in the storage. */
  readonly key: string;
  /** Whether it needs no other machine, so that a config can wait for it. */
  readonly local: boolean;
  /** @throws ServerError saying who refused what */
  issue(request: IssueRequest): Promise<IssuedCertificate>;
  /**
   * When the authority wants a certificate renewed; undefined when it does not say.
   * @throws ServerError ACME
   */
  suggestRenewal?(chainPem: string, signal: AbortSignal): Promise<Date | undefined>;
}

export const issuers: ModuleNamespace<CertificateIssuer> = { prefix: "tls.issuance" };
