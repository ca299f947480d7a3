import type { AcmeProblem } from "../acme-problem.ts";

/** The subject of a challenge. */
export interface Validation {
  /** Without `*.`. */
  readonly name: string;
  readonly token: string;
  /** Token and thumbprint of the account's key. Source: RFC 8555, section 8.1 */
  readonly keyAuthorization: string;
  readonly signal: AbortSignal;
}

/** How names are asked. */
export interface ValidationWays {
  readonly httpPort: number;
  readonly tlsPort: number;
  /** DNS servers; none: those of the system. */
  readonly resolvers: readonly string[];
}

/** Looks whether a client answers for a name. @throws AcmeProblem saying what was seen in place of the answer */
export type Validator = (validation: Validation, ways: ValidationWays) => Promise<void>;

/** Whether another attempt may go better: the name could not be reached, but it did not answer wrongly. */
export function mayPass(problem: AcmeProblem): boolean {
  return problem.type === "connection" || problem.type === "dns";
}
