import { messageOf } from "server-core/errors";
import type { StoredKey } from "./key-store.ts";
import type { NewCredential, SignInCredential } from "./posted-message.ts";

/** Demands of a site on keys. */
export interface KeyRules {
  readonly rpId: string;
  readonly origins: readonly string[];
  readonly userVerification: "required" | "preferred" | "discouraged";
}

/** A refusal with its reason, for the log. */
export interface Refusal {
  readonly refused: string;
}

// Loaded for the first key, because its certificate parsers take 5 MB.
const library = () => import("@simplewebauthn/server");

const demands = ({ rpId, origins, userVerification }: KeyRules) => ({
  expectedOrigin: [...origins],
  expectedRPID: rpId,
  requireUserVerification: userVerification === "required",
});

/**
 * Checks a new key. No attestation of its manufacturer is requested. Source: WebAuthn, section 7.1
 * @param takes returns true for a valid challenge; called once
 */
export async function checkNewKey(
  credential: NewCredential,
  takes: (challenge: string) => boolean,
  rules: KeyRules,
): Promise<Pick<StoredKey, "id" | "publicKey" | "counter"> | Refusal> {
  const { verifyRegistrationResponse } = await library();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} },
      expectedChallenge: takes,
      ...demands(rules),
    });
    return verified ? registrationInfo.credential : { refused: "the registration is not verified" };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

/**
 * Checks the answer of a registered key: challenge, origin, domain, signature, and that its counter grew. Source:
 * WebAuthn, section 7.2
 * @param takes returns true for a valid challenge; called once
 * @returns the new counter
 */
export async function checkSignIn(
  credential: SignInCredential,
  key: StoredKey,
  takes: (challenge: string) => boolean,
  rules: KeyRules,
): Promise<{ readonly counter: number } | Refusal> {
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...credential, clientExtensionResults: {} },
      credential: { id: key.id, publicKey: key.publicKey, counter: key.counter },
      expectedChallenge: takes,
      ...demands(rules),
    });
    return verified ? { counter: authenticationInfo.newCounter } : { refused: "the signature is wrong" };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}
