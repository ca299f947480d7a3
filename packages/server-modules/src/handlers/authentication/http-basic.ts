import type { Exchange } from "http-engine/exchange";
import { setHeader } from "http-engine/header-list";
import { ServerError } from "server-core/errors";
import { inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { replaceKnown } from "server-core/placeholders/machine-placeholders";
import { z } from "zod";
import { clientGroup } from "../../passwords/client-group.ts";
import { CheckKeys, RightPasswords } from "../../passwords/right-passwords.ts";
import { type AuthProvider, type PasswordHash, passwordHashes } from "./auth-provider.ts";

/**
 * Example, with a hash from `server hash-password`:
 * ```json
 * {
 *   "accounts": [{ "username": "ann", "password": "$2a$14$…" }],
 *   "realm": "Staff only",
 *   "hash": { "algorithm": "bcrypt" },
 *   "hash_cache": {}
 * }
 * ```
 */
const configSchema = z.strictObject({
  hash: inlineModule("http.authentication.hashes", "algorithm")
    .nullish()
    .describe("How passwords are hashed: `bcrypt` (the default) or `argon2id`."),
  accounts: z
    .array(
      z.strictObject({
        username: z.string().describe("Placeholders are filled in when the config loads."),
        password: z
          .string()
          .describe("Hash of the password; placeholders are filled in when the config loads."),
        salt: z.string().nullish().describe("Not used: hashes hold their salt."),
      }),
    )
    .nullish()
    .describe("Who may come in."),
  realm: z.string().nullish().describe("What browsers show when they ask for the password (restricted)."),
  hash_cache: z
    .strictObject({})
    .nullish()
    .describe("Keeps the results of comparisons in memory, keyed by a keyed hash: saves CPU time."),
});

/** Maximum number of bytes of base64 for user name and password together. Longer credentials are ignored. */
const maxCredentials = 4096;

/** Name and password of a request. */
interface Credentials {
  /** User name, without a colon. Source: RFC 7617 */
  readonly user: string;
  /** Password as the client sent it; colons are allowed. */
  readonly password: string;
}

/** Base64 with padding (RFC 4648), so that each text has exactly one form. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Reads `Authorization: Basic …`; undefined for another scheme, or for text that does not contain credentials. Source:
 * RFC 7617
 */
function credentialsOf(exchange: Exchange): Credentials | undefined {
  const match = /^basic (\S+)$/i.exec(exchange.header("authorization"));
  const encoded = match?.[1] ?? "";
  if (encoded === "" || encoded.length > maxCredentials || !base64.test(encoded)) {
    return undefined;
  }
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const cut = text.indexOf(":");
  return cut === -1 ? undefined : { user: text.slice(0, cut), password: text.slice(cut + 1) };
}

/**
 * Decodes a hash that another tool encoded in base64. @throws ServerError MODULE_CONFIG for a hash in an unknown form
 */
function plainHash(text: string): string {
  if (text.startsWith("$")) {
    return text;
  }
  if (!base64.test(text)) {
    throw new ServerError("MODULE_CONFIG", "base64-decoding password: neither a hash nor base64");
  }
  return Buffer.from(text, "base64").toString("latin1");
}

/** True when the comparison failed because the client disconnected or the queue is full. */
function isOther(error: unknown): boolean {
  return error instanceof ServerError && (error.code === "CLIENT_GONE" || error.code === "PASSWORDS_BUSY");
}

/** Stored hashes by user name. @throws ServerError MODULE_CONFIG for an empty or a repeated name, or an unreadable hash */
function accountsOf(config: z.infer<typeof configSchema>): ReadonlyMap<string, string> {
  const accounts = new Map<string, string>();
  for (const [index, { username, password }] of (config.accounts ?? []).entries()) {
    const [user, stored] = [replaceKnown(username), plainHash(replaceKnown(password))];
    if (user === "" || stored === "") {
      throw new ServerError("MODULE_CONFIG", `account ${index}: username and password are required`);
    }
    if (accounts.has(user)) {
      throw new ServerError("MODULE_CONFIG", `account ${index}: username is not unique: ${user}`);
    }
    accounts.set(user, stored);
  }
  return accounts;
}

/**
 * Basic authentication: each request carries user name and password. An unknown name is compared with a fake hash, so
 * the response time does not reveal which names exist. Source: RFC 7617; Caddy 2.11
 */
export const httpBasic = defineModule({
  id: "http.authentication.providers.http_basic",
  config: configSchema,
  async provision(config, context): Promise<AuthProvider> {
    const hash: PasswordHash = await context.loadInline(
      passwordHashes,
      "algorithm",
      (config.hash ?? { algorithm: "bcrypt" }) as { algorithm: string },
      "hash",
    );
    const accounts = accountsOf(config);
    const realm = (config.realm || "restricted").replace(/[^ -~]/g, "").replace(/["\\]/g, "\\$&");
    const remember = config.hash_cache !== undefined && config.hash_cache !== null;
    const keys = new CheckKeys();
    const right = new RightPasswords();

    async function matches(stored: string, password: string, exchange: Exchange): Promise<boolean> {
      const key = remember ? keys.keyOf(stored, password) : "";
      if (remember && right.has(key)) {
        return true;
      }
      const isRight = await hash.verify(stored, password, {
        client: clientGroup(exchange.clientAddress),
        remember,
        onGone: (callback) => exchange.onEnd(callback),
      });
      if (remember && isRight) {
        right.add(key);
      }
      return isRight;
    }

    const challenge = (exchange: Exchange): void =>
      setHeader(exchange.responseHeaders, "WWW-Authenticate", `Basic realm="${realm}"`);

    return {
      async authenticate(exchange) {
        const credentials = credentialsOf(exchange);
        if (credentials !== undefined) {
          const stored = accounts.get(credentials.user);
          // The comparison for an unknown user takes as long as for a known user.
          const isRight = await matches(stored ?? hash.fakeHash, credentials.password, exchange).catch(
            (error: unknown) => {
              if (!isOther(error)) {
                challenge(exchange); // the stored hash has a different format
              }
              throw error;
            },
          );
          if (isRight && stored !== undefined) {
            return { id: credentials.user };
          }
        }
        challenge(exchange);
        return undefined;
      },
    };
  },
});
