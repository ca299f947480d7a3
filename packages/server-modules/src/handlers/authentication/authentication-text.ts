import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { blockOf, line } from "serverfile/to-text/lines/line";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { onlyGiven } from "serverfile/values/draft";

/** Algorithms that this server can verify. Caddy has the same algorithms. */
const algorithms = new Set(["bcrypt", "argon2id"]);

/**
 * `basic_auth [algorithm [realm]] { user hash … }`: passwords are hashes, as `server hash-password` prints them. The
 * algorithm defaults to `bcrypt`. The directive accepts a second account with the same name; loading the config refuses
 * it.
 * ```
 * basic_auth bcrypt "Staff only" {
 *   ann $2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "authentication",
 *   "providers": {
 *     "http_basic": {
 *       "accounts": [
 *         {
 *           "username": "ann",
 *           "password": "$2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG"
 *         }
 *       ],
 *       "realm": "Staff only",
 *       "hash": { "algorithm": "bcrypt" },
 *       "hash_cache": {}
 *     }
 *   }
 * }
 * ```
 * `hash_cache` is always written, so a correct password is hashed only once instead of with each request.
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const [algorithm = "bcrypt", realm = "", ...more] = cursor.remainingArguments();
  if (more.length > 0) {
    throw cursor.argumentError();
  }
  if (!algorithms.has(algorithm)) {
    throw cursor.error(`unrecognized hash algorithm: ${algorithm}`);
  }
  const accounts = [];
  while (cursor.nextInBlock(0)) {
    const username = cursor.value;
    const password = cursor.nextArgument() ? cursor.value : "";
    cursor.noMoreArguments();
    if (username === "" || password === "") {
      throw cursor.error("username and password cannot be empty or missing");
    }
    accounts.push({ username, password });
  }
  const basic = onlyGiven({ accounts, realm, hash: { algorithm }, hash_cache: {} });
  return { handler: "authentication", providers: { http_basic: basic } };
});

/**
 * Writes the provider `http_basic` back. A config without `hash` or `hash_cache` has no text form, because the
 * directive always sets both.
 */
const toText: HandlerWriter = (handler) => {
  const providers = handler.child("providers");
  const basic = providers?.child("http_basic");
  const hash = basic?.child("hash");
  if (basic === undefined || hash === undefined || basic.child("hash_cache") === undefined) {
    throw inexpressible(
      handler.path,
      "the directive basic_auth has the provider http_basic, with hash and hash_cache",
    );
  }
  const algorithm = hash.text("algorithm") ?? "";
  const realm = basic.text("realm");
  const lines = (basic.children("accounts") ?? []).map((account) => {
    const words = [account.text("username") ?? "", account.text("password") ?? ""];
    account.done("an account");
    return line(...words);
  });
  const words = realm === undefined ? (algorithm === "bcrypt" ? [] : [algorithm]) : [algorithm, realm];
  return { directive: "basic_auth", older: "basicauth", words, ...blockOf(lines) };
};

export const authenticationText: ModuleText = {
  directives: { basicauth: directive, basic_auth: directive },
  toText,
};
