import type { AcmeProblem } from "../acme-problem.ts";

/** The subject of a challenge. */
export interface Validation {
  /** The name to prove, without `*.`. */
  readonly name: string;
  /** Random text of the challenge; it is part of the path where the proof is expected. */
  readonly token: string;
  /** Expected proof: token, a dot, and the thumbprint of the account's key. Source: RFC 8555, section 8.1 */
  readonly keyAuthorization: string;
  /** An abort of this signal ends the attempt. */
  readonly signal: AbortSignal;
}

/** Settings of the checks of names. */
export interface ValidationWays {
  /** Port for `http-01`; public CAs use 80. */
  readonly httpPort: number;
  /** Port for `tls-alpn-01`; public CAs use 443. */
  readonly tlsPort: number;
  /** Addresses of DNS servers; an empty list means the servers of the system. */
  readonly resolvers: readonly string[];
}

/**
 * Checks a client's proof for a name. @throws AcmeProblem with the wrong answer, or with the reason why no answer came
 */
export type Validator = (validation: Validation, ways: ValidationWays) => Promise<void>;

/** True when another attempt may succeed, because the name could not be reached; false after a wrong answer. */
export function mayPass(problem: AcmeProblem): boolean {
  return problem.type === "connection" || problem.type === "dns";
}
