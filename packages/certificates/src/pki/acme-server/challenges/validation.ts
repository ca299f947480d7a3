import type { AcmeProblem } from "../acme-problem.ts";

/** The subject of a challenge. */
export interface Validation {
  /** Without `*.`. */
  readonly name: string;
  /** Random text of the challenge, part of the place where the answer is looked for. */
  readonly token: string;
  /** Token and thumbprint of the account's key. Source: RFC 8555, section 8.1 */
  readonly keyAuthorization: string;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** How names are asked. */
export interface ValidationWays {
  /** Port asked for `http-01`; authorities of the internet ask 80. */
  readonly httpPort: number;
  /** Port asked for `tls-alpn-01`; authorities of the internet ask 443. */
  readonly tlsPort: number;
  /** DNS servers; none: those of the system. */
  readonly resolvers: readonly string[];
}

/** Checks whether a client answers for a name. @throws AcmeProblem with the wrong answer or the reason for none */
export type Validator = (validation: Validation, ways: ValidationWays) => Promise<void>;

/** Whether another attempt may go better: the name could not be reached, but it did not answer wrongly. */
export function mayPass(problem: AcmeProblem): boolean {
  return problem.type === "connection" || problem.type === "dns";
}
