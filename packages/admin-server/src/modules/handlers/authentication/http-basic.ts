import { createHmac, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { ServerError } from "../../../core/errors.ts";
import { inlineModule } from "../../../core/modules/config-fields.ts";
import { defineModule } from "../../../core/modules/module.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { setHeader } from "../../../http/header-list.ts";
import { compileTemplate } from "../../../http/placeholders.ts";
import { type AuthProvider, type PasswordHash, passwordHashes } from "./auth-provider.ts";

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

/** Results that are kept. */
const maxKnown = 1000;

/** The longest user name and password together, encoded. */
const maxCredentials = 4096;

interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Source: RFC 7617 */
function credentialsOf(exchange: Exchange): Credentials | undefined {
  const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(exchange.header("authorization"));
  const encoded = match?.[1] ?? "";
  if (encoded === "" || encoded.length > maxCredentials) {
    return undefined;
  }
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const cut = text.indexOf(":");
  return cut === -1 ? undefined : { user: text.slice(0, cut), password: text.slice(cut + 1) };
}

/** Remembers comparisons, and makes equal ones that come at once wait for one. */
class ComparisonCache {
  readonly #key = randomBytes(32);
  readonly #known = new LRUCache<string, Promise<boolean>>({ max: maxKnown });

  compare(hash: string, password: string, compare: () => Promise<boolean>): Promise<boolean> {
    const mac = createHmac("sha256", this.#key);
    const key = mac.update(`${hash.length}:${hash}`).update(password).digest("base64");
    let known = this.#known.get(key);
    if (known === undefined) {
      known = compare();
      this.#known.set(key, known);
      known.catch(() => this.#known.delete(key));
    }
    return known;
  }
}

/** Hashes of other tools' making may be base64 once more. */
function plainHash(text: string): string {
  return text.startsWith("$") ? text : Buffer.from(text, "base64").toString("latin1");
}

/** User name and password with each request. Source: RFC 7617; the public model (Caddy 2.11) */
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
    const accounts = new Map<string, string>();
    for (const [index, { username, password }] of (config.accounts ?? []).entries()) {
      const fill = (text: string) => compileTemplate(text)({} as Exchange);
      const [user, stored] = [fill(username), plainHash(fill(password))];
      if (user === "" || stored === "") {
        throw new ServerError("MODULE_CONFIG", `account ${index}: username and password are required`);
      }
      if (accounts.has(user)) {
        throw new ServerError("MODULE_CONFIG", `account ${index}: username is not unique: ${user}`);
      }
      accounts.set(user, stored);
    }
    const realm = (config.realm || "restricted").replace(/[^ -~]/g, "").replace(/["\\]/g, "\\$&");
    const cache = config.hash_cache ? new ComparisonCache() : undefined;

    function matches(stored: string, password: string): Promise<boolean> {
      const compare = () => hash.verify(stored, password);
      return cache === undefined ? compare() : cache.compare(stored, password, compare);
    }

    return {
      async authenticate(exchange) {
        const credentials = credentialsOf(exchange);
        if (credentials !== undefined) {
          const stored = accounts.get(credentials.user);
          // An unknown user costs as much as a known one.
          const right = await matches(stored ?? hash.fakeHash, credentials.password);
          if (right && stored !== undefined) {
            return { id: credentials.user };
          }
        }
        setHeader(exchange.responseHeaders, "WWW-Authenticate", `Basic realm="${realm}"`);
        return undefined;
      },
    };
  },
});
