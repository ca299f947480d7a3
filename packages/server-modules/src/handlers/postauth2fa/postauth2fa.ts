import type { Exchange } from "http-engine/exchange";
import type { HttpHandler, Next } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { compileTemplate, type Template } from "http-engine/placeholders";
import type { Logger } from "lifecycle";
import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { parseQuery } from "server-core/uri/query-parameters";
import { readCookie } from "../../cookies/cookies.ts";
import { AttemptTable, attemptTableBytes } from "./attempt-table.ts";
import { compileForm, type SendForm } from "./code-form.ts";
import { type Postauth2faConfig, postauth2faSchema } from "./postauth2fa-config.ts";
import { keyBytes, keyOf } from "./secret-key.ts";
import { readSession, signSession } from "./session-token.ts";
import { periodOf } from "./totp.ts";
import { UserSecrets } from "./user-secrets.ts";

const defaultTimeoutMs = 3_600_000;
/** Maximum number of bytes of a posted form: it has one short field. */
const maxFormBytes = 4_096;

/** The parts that are opened before the first request. */
interface Parts {
  readonly secrets: UserSecrets;
  readonly attempts: AttemptTable;
  readonly sendForm: SendForm;
  readonly log: Logger;
}

/**
 * Asks users of an earlier handler, such as `basic_auth` or `oidc`, for a code of their authenticator.
 * | Request | Answer |
 * |---|---|
 * | nobody is authenticated | 500, because the first factor is missing |
 * | with a session of the user | the next handler answers |
 * | without a session | 200 and the form; 401 for a user without a secret |
 * | `POST` of a right code | 302 to the same URL, with a session |
 * | `POST` of a wrong or used code | 200 and the form |
 * | any code, after five wrong codes in five minutes | 429 |
 */
class SecondFactor implements HttpHandler {
  readonly inRehearsal = "may answer";
  readonly #parts: Parts;
  readonly #userOf: Template;
  readonly #bindsIp: Template;
  readonly #key: Buffer;
  readonly #timeoutMs: number;
  readonly #digits: number;
  readonly #cookie: string;
  readonly #attributes: string;

  constructor(config: Postauth2faConfig, key: Buffer, parts: Parts) {
    this.#parts = parts;
    this.#key = key;
    this.#userOf = compileTemplate(config.username_placeholder || "{http.auth.user.id}");
    this.#bindsIp = compileTemplate(config.ip_binding || "true");
    this.#timeoutMs = config.session_inactivity_timeout || defaultTimeoutMs;
    this.#digits = config.totp_code_length || 6;
    this.#cookie = config.cookie_name || "cpa_sess";
    const domain = config.cookie_domain ? `; Domain=${config.cookie_domain}` : "";
    this.#attributes = `Path=${config.cookie_path || "/"}${domain}; HttpOnly; Secure; SameSite=Strict`;
  }

  handle(exchange: Exchange, next: Next): void | Promise<void> {
    const user = this.#userOf(exchange);
    if (user === "") {
      throw new HttpError(
        500,
        "postauth2fa: no authenticated user: basic_auth or another handler comes first",
      );
    }
    return this.#hasSession(exchange, user) ? next(exchange) : this.#ask(exchange, user);
  }

  /**
   * True for a session of the same user. By default, the client address must be the same too. A request in the second
   * half of the session's lifetime renews it.
   */
  #hasSession(exchange: Exchange, user: string): boolean {
    const now = Date.now();
    const claims = readSession(readCookie(exchange, this.#cookie) ?? "", this.#key, now);
    if (claims === undefined || claims.username !== user) {
      return false;
    }
    if (this.#bindsIp(exchange) !== "false" && claims.clientIP !== exchange.clientAddress) {
      return false;
    }
    if (claims.exp * 1000 - now < this.#timeoutMs / 2) {
      this.#setSession(exchange, user);
    }
    return true;
  }

  #setSession(exchange: Exchange, username: string): void {
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      username,
      clientIP: exchange.clientAddress,
      iat,
      exp: iat + Math.ceil(this.#timeoutMs / 1000),
    };
    exchange.responseHeaders.push(
      "Set-Cookie",
      `${this.#cookie}=${signSession(claims, this.#key)}; ${this.#attributes}`,
    );
  }

  async #ask(exchange: Exchange, user: string): Promise<void> {
    const { secrets, attempts, sendForm, log } = this.#parts;
    const known = await secrets.of(user);
    if (known === undefined) {
      log.warn(`postauth2fa: user ${JSON.stringify(user)} has no secret`);
      throw new HttpError(401, "postauth2fa: the user has no second factor");
    }
    const digits = known.digits ?? this.#digits;
    const form = (message: string, status = 200) => sendForm(exchange, { user, digits, message, status });
    const code = exchange.method === "POST" ? await codeIn(exchange) : "";
    if (code === "") {
      return form("");
    }
    const attempt = attempts.begin(user);
    if (attempt !== "may try") {
      exchange.responseHeaders.push("Retry-After", String(attempt.waitS));
      return form("Too many wrong codes. Please wait some minutes.", 429);
    }
    const period = periodOf(known.secret, code, digits, Date.now());
    if (period === undefined || !attempts.use(user, period)) {
      const what = period === undefined ? "wrong" : "used";
      log.warn({ username: user, client_ip: exchange.clientAddress }, `postauth2fa: ${what} code`);
      return form("This code is wrong, or was used before. Please try the next one.");
    }
    this.#setSession(exchange, user);
    // Two slashes at the beginning would name another host.
    const { rawPath } = exchange.original.target;
    const { query } = exchange.original.target;
    exchange.responseHeaders.push(
      "Location",
      `${rawPath.replace(/^[/\\]+/, "/")}${query}`,
      "Content-Length",
      "0",
    );
    exchange.respond(302);
  }
}

/** The posted code without spaces; "" when there is none. @throws HttpError 413 */
async function codeIn(exchange: Exchange): Promise<string> {
  const body = (await exchange.bufferBody(maxFormBytes)).toString("latin1");
  const { parameters } = parseQuery(`?${body}`);
  return (parameters.get("totp_code")?.[0] ?? "").replace(/\s/g, "");
}

/**
 * A second factor after any first one: codes of authenticator apps (TOTP). Source: RFC 6238; Caddy's plug-in
 * (steffenbusch/caddy-postauth-2fa)
 */
export const postauth2fa = defineModule({
  id: "http.handlers.postauth2fa",
  config: postauth2faSchema,
  async provision(config, { shared, log }): Promise<HttpHandler> {
    const key = keyOf("sign_key", config.sign_key, (length) => length >= keyBytes);
    const encryptionKey = config.encryption_key
      ? keyOf("encryption_key", config.encryption_key, (length) => length === keyBytes)
      : undefined;
    const path = replaceAll(config.secrets_file_path ?? "");
    const secrets = await UserSecrets.open({ path, own: config.secrets ?? {}, key: encryptionKey });
    // The memory is keyed by the file, so that sites with the same users share wrong attempts and used codes.
    const memory = await shared.memory(`http.handlers.postauth2fa/${path}`, attemptTableBytes);
    return new SecondFactor(config, key, {
      secrets,
      attempts: new AttemptTable(memory),
      sendForm: await compileForm(config.form_template ?? ""),
      log,
    });
  },
});
