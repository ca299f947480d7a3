import { createHash, createHmac } from "node:crypto";
import { join } from "node:path";
import type { Exchange } from "http-engine/exchange";
import type { HttpHandler, Next } from "http-engine/handler";
import { getHeader, setContentLength, setHeader } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { compileTemplate, type Template } from "http-engine/placeholders";
import type { Logger } from "lifecycle";
import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { readCookie } from "../../cookies/cookies.ts";
import { keyBytes, keyOf } from "../postauth2fa/secret-key.ts";
import { readSession, signSession } from "../postauth2fa/session-token.ts";
import { Challenges, challengeLifetimeS, usedChallengeBytes } from "./challenges.ts";
import { type KeyPage, sendKeyPage } from "./key-page.ts";
import { KeyStore, type StoredKey } from "./key-store.ts";
import { type Message, messageType, readMessage } from "./posted-message.ts";
import { checkNewKey, checkSignIn, type KeyRules } from "./verify-key.ts";
import { type WebauthnConfig, webauthnSchema } from "./webauthn-config.ts";

const defaultTimeoutMs = 3_600_000;
const defaultMaxKeys = 10;
/** COSE numbers of signatures: Ed25519, ECDSA with P-256, RSA. Source: IANA, COSE algorithms */
const algorithms = [-8, -7, -257];

/** The parts that are opened before the first request. */
interface Parts {
  readonly keys: KeyStore;
  readonly challenges: Challenges;
  readonly sessionKey: Buffer;
  readonly log: Logger;
}

/**
 * Asks users of an earlier handler, such as `basic_auth` or `oidc`, for a passkey or a security key.
 * | Request | Answer |
 * |---|---|
 * | nobody is authenticated | 500, because the first factor is missing |
 * | with a session of the user | the next handler answers; at `path`, the page with the user's keys |
 * | without a session: GET or HEAD | 200 and the page that asks for a key, or for a first key |
 * | without a session: another method | 401 and the same page |
 * | without a session: a user without keys, with `enrollment closed` | 401 |
 * | message of the page | 200; 403 or 409 with the reason as JSON; 400 for an invalid message |
 */
class PasskeyFactor implements HttpHandler {
  readonly inRehearsal = "may answer";
  readonly #parts: Parts;
  readonly #rules: KeyRules;
  readonly #rpName: string;
  readonly #maxKeys: number;
  readonly #isOpen: boolean;
  readonly #path: string;
  readonly #userOf: Template;
  readonly #timeoutMs: number;
  readonly #cookie: string;
  readonly #attributes: string;

  constructor(config: WebauthnConfig, parts: Parts) {
    this.#parts = parts;
    this.#rules = {
      rpId: config.rp_id,
      origins: config.origins?.length ? config.origins : [`https://${config.rp_id}`],
      userVerification: config.user_verification ?? "preferred",
    };
    this.#rpName = config.rp_name || config.rp_id;
    this.#maxKeys = config.max_keys ?? defaultMaxKeys;
    this.#isOpen = config.enrollment !== "closed";
    this.#path = config.path || "/.passkeys";
    this.#userOf = compileTemplate(config.username_placeholder || "{http.auth.user.id}");
    this.#timeoutMs = config.session_inactivity_timeout || defaultTimeoutMs;
    this.#cookie = config.cookie_name || "passkey_sess";
    const domain = config.cookie_domain ? `; Domain=${config.cookie_domain}` : "";
    // Lax: after a login at another site, the first request comes from that site, and must carry the session cookie.
    this.#attributes = `Path=${config.cookie_path || "/"}${domain}; HttpOnly; Secure; SameSite=Lax`;
  }

  handle(exchange: Exchange, next: Next): void | Promise<void> {
    const user = this.#userOf(exchange);
    if (user === "") {
      throw new HttpError(500, "webauthn: no authenticated user: basic_auth or another handler comes first");
    }
    const hasSession = this.#hasSession(exchange, user);
    const type = exchange.method === "POST" ? getHeader(exchange.requestHeaders, "content-type") : "";
    if (type?.toLowerCase() === messageType) {
      return this.#takeMessage(exchange, user, hasSession);
    }
    const isManaged = hasSession && exchange.original.target.rawPath === this.#path;
    return hasSession && !isManaged ? next(exchange) : this.#ask(exchange, user, isManaged);
  }

  /** True for a session of the same user. A request in the second half of the session's lifetime renews it. */
  #hasSession(exchange: Exchange, user: string): boolean {
    const now = Date.now();
    const claims = readSession(readCookie(exchange, this.#cookie) ?? "", this.#parts.sessionKey, now);
    if (claims?.username !== user) {
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
    const token = signSession(claims, this.#parts.sessionKey);
    exchange.responseHeaders.push("Set-Cookie", `${this.#cookie}=${token}; ${this.#attributes}`);
  }

  async #ask(exchange: Exchange, user: string, isManaged: boolean): Promise<void> {
    const { challenges } = this.#parts;
    const keys = await this.#parts.keys.keysOf(user);
    if (keys.length === 0 && !this.#isOpen && !isManaged) {
      throw new HttpError(401, "webauthn: the user has no key");
    }
    const kind = isManaged ? "manage" : keys.length > 0 ? "sign_in" : "first";
    const page: KeyPage = {
      user,
      kind,
      keys,
      options: kind === "sign_in" ? this.#signInOptions(user, keys) : this.#newKeyOptions(user, keys),
      removal: isManaged && keys.length > 1 ? challenges.create(user, "remove") : "",
      status: exchange.method === "GET" || exchange.method === "HEAD" ? 200 : 401,
    };
    sendKeyPage(exchange, page);
  }

  #signInOptions(user: string, keys: readonly StoredKey[]): object {
    return {
      challenge: this.#parts.challenges.create(user, "sign_in"),
      rpId: this.#rules.rpId,
      timeout: challengeLifetimeS * 1000,
      userVerification: this.#rules.userVerification,
      allowCredentials: descriptorsOf(keys),
    };
  }

  #newKeyOptions(user: string, keys: readonly StoredKey[]): object {
    const { rpId, userVerification } = this.#rules;
    return {
      challenge: this.#parts.challenges.create(user, "register"),
      rp: { id: rpId, name: this.#rpName },
      user: {
        id: createHash("sha256").update(`${rpId}\0${user}`).digest("base64url"),
        name: user,
        displayName: user,
      },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      timeout: challengeLifetimeS * 1000,
      attestation: "none",
      authenticatorSelection: { residentKey: "discouraged", userVerification },
      excludeCredentials: descriptorsOf(keys),
    };
  }

  async #takeMessage(exchange: Exchange, user: string, hasSession: boolean): Promise<void> {
    const message = await readMessage(exchange);
    const keys = await this.#parts.keys.keysOf(user);
    const fault = await this.#act(message, user, { keys, hasSession });
    if (fault === undefined) {
      if (!hasSession) {
        this.#setSession(exchange, user);
      }
      answer(exchange, 200, { ok: true });
      return;
    }
    const about = { username: user, client_ip: exchange.clientAddress, action: message.action };
    this.#parts.log.warn(about, `webauthn: refused: ${fault.reason ?? fault.error}`);
    answer(exchange, fault.status, { error: fault.error });
  }

  /** @returns undefined when the action was taken */
  #act(message: Message, user: string, state: State): Fault | undefined | Promise<Fault | undefined> {
    if (message.action === "sign_in") {
      return this.#signIn(message.credential, user, state.keys);
    }
    // Without a session, only the first key of an open site is registered.
    const isFirst = message.action === "register" && this.#isOpen && state.keys.length === 0;
    if (!state.hasSession && !isFirst) {
      return { status: 403, error: "Please use one of your passkeys first." };
    }
    return message.action === "register"
      ? this.#register(message, user, state.keys)
      : this.#remove(message, user, state.keys);
  }

  async #signIn(
    credential: Extract<Message, { action: "sign_in" }>["credential"],
    user: string,
    keys: readonly StoredKey[],
  ): Promise<Fault | undefined> {
    const key = keys.find(({ id }) => id === credential.id);
    if (key === undefined) {
      return { status: 403, error: "This passkey is not registered." };
    }
    const takes = (challenge: string) => this.#parts.challenges.take(challenge, user, "sign_in");
    const result = await checkSignIn(credential, key, takes, this.#rules);
    if ("refused" in result) {
      return { status: 403, error: "This passkey was refused. Please try again.", reason: result.refused };
    }
    return (await this.#parts.keys.use(user, key, result.counter))
      ? undefined
      : { status: 409, error: "This passkey was used or removed meanwhile. Please try again." };
  }

  async #register(
    { credential, name }: Extract<Message, { action: "register" }>,
    user: string,
    keys: readonly StoredKey[],
  ): Promise<Fault | undefined> {
    if (keys.length >= this.#maxKeys) {
      return { status: 409, error: `You have ${keys.length} passkeys, and the limit is ${this.#maxKeys}.` };
    }
    const takes = (challenge: string) => this.#parts.challenges.take(challenge, user, "register");
    const made = await checkNewKey(credential, takes, this.#rules);
    if ("refused" in made) {
      return { status: 403, error: "This passkey was refused. Please try again.", reason: made.refused };
    }
    if (keys.some(({ id }) => id === made.id)) {
      return { status: 409, error: "This passkey is registered already." };
    }
    const { transports } = credential.response;
    await this.#parts.keys.add(user, { ...made, transports, name, created: new Date().toISOString() });
    // Concurrent registrations may exceed the limit together, because each saw fewer keys.
    if ((await this.#parts.keys.keysOf(user)).length > this.#maxKeys) {
      await this.#parts.keys.remove(user, made.id);
      return { status: 409, error: `The limit is ${this.#maxKeys} passkeys.` };
    }
    this.#parts.log.info({ username: user, keys: keys.length + 1 }, "webauthn: registered a key");
    return undefined;
  }

  async #remove(
    { id, challenge }: Extract<Message, { action: "remove" }>,
    user: string,
    keys: readonly StoredKey[],
  ): Promise<Fault | undefined> {
    if (!this.#parts.challenges.take(challenge, user, "remove")) {
      return { status: 403, error: "The page is too old. Please load it again." };
    }
    if (keys.length < 2) {
      return { status: 409, error: "The last passkey stays." };
    }
    const removed = keys.find((key) => key.id === id);
    await this.#parts.keys.remove(user, id);
    // Removals at the same time each saw another key.
    if (removed !== undefined && (await this.#parts.keys.keysOf(user)).length === 0) {
      await this.#parts.keys.add(user, removed);
      return { status: 409, error: "The last passkey stays." };
    }
    this.#parts.log.info({ username: user }, "webauthn: removed a key");
    return undefined;
  }
}

/** Facts that are known when a message arrives. */
interface State {
  readonly keys: readonly StoredKey[];
  readonly hasSession: boolean;
}

/** A refused action: `error` is for the user; `reason` is for the log, if it has more details. */
interface Fault {
  readonly status: number;
  readonly error: string;
  readonly reason?: string;
}

const descriptorsOf = (keys: readonly StoredKey[]) =>
  keys.map(({ id, transports }) => ({ type: "public-key", id, transports }));

function answer(exchange: Exchange, status: number, content: object): void {
  const body = JSON.stringify(content);
  setHeader(exchange.responseHeaders, "Content-Type", "application/json");
  setHeader(exchange.responseHeaders, "Cache-Control", "no-store");
  setContentLength(exchange.responseHeaders, Buffer.byteLength(body));
  exchange.respond(status, body);
}

/** A second factor after any first one: passkeys and security keys. Source: W3C Web Authentication, level 3 */
export const webauthn = defineModule({
  id: "http.handlers.webauthn",
  config: webauthnSchema,
  async provision(config, { shared, dataFolder, log }): Promise<HttpHandler> {
    const signKey = keyOf("sign_key", config.sign_key, (length) => length >= keyBytes);
    // The keys are derived for this handler: a session of another handler with the same sign_key is not accepted.
    const keyFor = (use: string) =>
      createHmac("sha256", signKey).update(`webauthn ${use} ${config.rp_id}`).digest();
    const folder = replaceAll(config.credentials_path ?? "") || join(dataFolder, "webauthn");
    const memory = await shared.memory(`http.handlers.webauthn/${config.rp_id}`, usedChallengeBytes);
    return new PasskeyFactor(config, {
      keys: new KeyStore(join(folder, config.rp_id)),
      challenges: new Challenges(keyFor("challenge"), memory),
      sessionKey: keyFor("session"),
      log,
    });
  },
});
