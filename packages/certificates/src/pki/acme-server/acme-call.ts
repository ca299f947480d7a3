import type { JWK } from "jose";
import type { Logger } from "lifecycle";
import type { CertificateAuthority } from "../certificate-authority.ts";
import type { AcmeReply, AcmeServerSettings } from "./acme-messages.ts";
import { AcmeProblem } from "./acme-problem.ts";
import type { Account } from "./acme-records.ts";
import type { AcmeStore } from "./acme-store.ts";
import type { KeyedQueue } from "./keyed-queue.ts";
import type { Validations } from "./validations.ts";

/** The services that endpoints use. */
export interface AcmeServices {
  /** Signs the certificates of the orders. */
  readonly authority: CertificateAuthority;
  readonly store: AcmeStore;
  /** Checks challenges in the background. */
  readonly validations: Validations;
  /** Changes of one record run one after the other. */
  readonly queue: KeyedQueue;
  readonly log: Logger;
}

/** One signed request whose signature and nonce are checked. */
export interface AcmeCall extends AcmeServices {
  /** Settings of the handler that took the request. */
  readonly settings: AcmeServerSettings;
  /** Prefix of all URLs of this server, without a slash at its end. */
  readonly base: string;
  /** The URL that was signed. */
  readonly url: string;
  /** Segments of the path after the endpoint's name. */
  readonly rest: readonly string[];
  /** Empty: the client only reads (POST-as-GET). */
  readonly payload: Uint8Array;
  /** The key that signed. */
  readonly key: JWK;
  /** The account that the message names; undefined when the message contains a key instead. */
  readonly account: Account | undefined;
}

/** The account that signed a call. @throws AcmeProblem unauthorized */
export function callerOf(call: AcmeCall): Account {
  if (call.account === undefined) {
    throw new AcmeProblem("unauthorized", "the message must be signed by an account");
  }
  return call.account;
}

/** An answer in JSON. @param headers name, value, name, value, … */
export function reply(status: number, value: unknown, headers: readonly string[] = []): AcmeReply {
  return { status, headers: ["Content-Type", "application/json", ...headers], body: JSON.stringify(value) };
}

/** @throws AcmeProblem malformed with 404 */
export function notFound(what: string): never {
  throw new AcmeProblem("malformed", `no such ${what}`, 404);
}
