import { isIP } from "node:net";
import type { Storage } from "server-core/storage/storage";
import { z } from "zod";
import { isChallengeToken } from "../../../acme/challenge-names.ts";
import { canonicalName, reverseName } from "../../../acme/identifier-names.ts";
import { safeKeyPart } from "../../storage/safe-key.ts";
import type { ChallengeQuestion, SharedChallengeType } from "../issuer.ts";

/**
 * Size limit of a stored challenge. Challenges of this server are below 1 KiB, but other instances may write larger
 * files.
 */
const maxBytes = 16 * 1024;

/** The used fields of a stored challenge. Source: acmez, `Challenge`, which Caddy stores */
const storedSchema = z
  .object({
    type: z.string(),
    token: z.string().refine(isChallengeToken, "is no token"),
    keyAuthorization: z.string(),
    identifier: z.object({ value: z.string() }),
  })
  .refine(({ token, keyAuthorization }) => keyAuthorization.startsWith(`${token}.`), {
    path: ["keyAuthorization"],
    error: "does not begin with the token",
  });

/** A challenge that this instance started. */
export interface StartedChallenge {
  /** Type of the challenge. DNS-01 is absent, because its answer is in DNS. */
  readonly type: SharedChallengeType;
  /** URL of the challenge at the authority. */
  readonly url: string;
  /** The DNS name or IP address that is to be proven. */
  readonly name: string;
  /** Token of the CA, which its request contains. */
  readonly token: string;
  /** The proof: the token, a dot, and the thumbprint of the account's key. Source: RFC 8555, section 8.1 */
  readonly keyAuthorization: string;
}

/** Key of a challenge in the storage. Source: Caddy (certmagic, `challengeTokensKey`) */
export function sharedChallengeKey(issuerKey: string, type: SharedChallengeType, name: string): string {
  const identifier = type === "tls-alpn-01" ? reverseName(name) : name;
  return `acme/${safeKeyPart(issuerKey)}/challenge_tokens/${safeKeyPart(identifier)}.json`;
}

/**
 * Stores a challenge for all instances that share the storage, because the CA's request may reach any of them.
 * @returns a function that removes the stored challenge
 * @throws ServerError STORAGE
 */
export async function shareChallenge(
  storage: Storage,
  issuerKey: string,
  { type, url, name, token, keyAuthorization }: StartedChallenge,
): Promise<() => Promise<void>> {
  const key = sharedChallengeKey(issuerKey, type, name);
  const identifier = { type: isIP(name) === 0 ? "dns" : "ip", value: name };
  await storage.store(
    key,
    JSON.stringify({ type, url, status: "pending", token, keyAuthorization, identifier }),
  );
  return () => storage.delete(key);
}

/**
 * Finds a challenge that any instance with this storage has started.
 * @returns the key authorization; undefined for a missing challenge and for a challenge with another token
 * @throws ServerError STORAGE; ZodError, SyntaxError for a file that is no challenge
 */
export async function findSharedChallenge(
  issuerKey: string,
  { storage, type, name, token }: ChallengeQuestion,
): Promise<string | undefined> {
  const stored = await storage.load(sharedChallengeKey(issuerKey, type, name), maxBytes);
  if (stored === undefined) {
    return undefined;
  }
  const found = storedSchema.parse(JSON.parse(stored.toString()));
  const isAsked =
    found.type === type &&
    canonicalName(found.identifier.value) === name &&
    (token === undefined || token === found.token);
  return isAsked ? found.keyAuthorization : undefined;
}

/** A file that proves a name. */
export interface StartedFile {
  /** URL at which the authority requests the file. */
  readonly url: string;
  readonly name: string;
  readonly content: string;
}

const storedFileSchema = z.object({
  url: z.url(),
  token: z.string(),
  identifier: z.object({ value: z.string() }),
});

/** Like {@link shareChallenge}, but for a file. Source: Caddy (certmagic, `ZeroSSLIssuer`) */
export async function shareFile(
  storage: Storage,
  issuerKey: string,
  { url, name, content }: StartedFile,
): Promise<() => Promise<void>> {
  const key = sharedChallengeKey(issuerKey, "pki-validation", name);
  const identifier = { type: isIP(name) === 0 ? "dns" : "ip", value: name };
  await storage.store(key, JSON.stringify({ url, token: content, identifier }));
  return () => storage.delete(key);
}

/** Like {@link findSharedChallenge}, but for a file. @returns the file's content */
export async function findSharedFile(
  issuerKey: string,
  { storage, type, name, token }: ChallengeQuestion,
): Promise<string | undefined> {
  const stored = await storage.load(sharedChallengeKey(issuerKey, type, name), maxBytes);
  if (stored === undefined || token === undefined) {
    return undefined;
  }
  const found = storedFileSchema.parse(JSON.parse(stored.toString()));
  const isAsked =
    canonicalName(found.identifier.value) === name && new URL(found.url).pathname.endsWith(`/${token}`);
  return isAsked ? found.token : undefined;
}
