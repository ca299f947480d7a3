import type { Exchange } from "http-engine/exchange";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { CheckOptions } from "../../passwords/ask-password-check.ts";

/** The user of a request. */
export interface AuthenticatedUser {
  /** `{http.auth.user.id}`. */
  readonly id: string;
  /** `{http.auth.user.<name>}`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A method of authentication. */
export interface AuthProvider extends ModuleInstance {
  /**
   * @returns undefined without valid credentials; the provider may have added a challenge to the response headers
   * @throws when the provider fails; the handler continues with the next provider
   */
  authenticate(exchange: Exchange): Promise<AuthenticatedUser | undefined>;
}

/**
 * The client of a password comparison. It determines the place in the queue, and aborts the comparison when the client
 * disconnects.
 */
export type PasswordAttempt = CheckOptions;

/** Compares passwords with hashes in constant time. */
export interface PasswordHash extends ModuleInstance {
  /** @throws when `hash` has a different format; ServerError PASSWORDS_BUSY, CLIENT_GONE */
  verify(hash: string, password: string, attempt: PasswordAttempt): Promise<boolean>;
  /** A hash that no password matches. A comparison with this hash takes as long as with a real hash. */
  readonly fakeHash: string;
}

/** Namespace of the providers in `authentication`. */
export const authProviders: ModuleNamespace<AuthProvider> = { prefix: "http.authentication.providers" };
/** Namespace of the hash algorithms in `http_basic`. */
export const passwordHashes: ModuleNamespace<PasswordHash> = { prefix: "http.authentication.hashes" };
