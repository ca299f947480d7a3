import type { Exchange } from "http-engine/exchange";
import type { HttpHandler, Next } from "http-engine/handler";
import { headerBytes, setHeader } from "http-engine/header-list";
import { HttpError } from "http-engine/http-error";
import { setPlaceholder } from "http-engine/placeholders";
import { requestOrigin } from "http-engine/request-origin";
import type { JWTPayload } from "jose";
import { messageOf } from "server-core/errors";
import type { ModuleContext } from "server-core/modules/module-context";
import { claimText, unmetRule } from "./claims.ts";
import type { OidcConfig } from "./oidc-config.ts";
import {
  beginLogin,
  finishLogin,
  loginName,
  logoutUrl,
  type PendingLogin,
  readPending,
  revokeTokens,
} from "./oidc-login.ts";
import { faultOf, type OidcProvider } from "./oidc-provider.ts";
import { isDue, refreshSession } from "./oidc-refresh.ts";
import { makeSession, type OidcSession, readSession } from "./oidc-session.ts";
import {
  type CookieAttributes,
  hideCookies,
  isPartOf,
  joinParts,
  readCookies,
  Sealer,
  setCookie,
  setParts,
} from "./sealed-cookies.ts";

/** Seconds between the start and the end of a login; a later login fails. */
const loginLifetimeS = 600;
/**
 * Maximum number of logins that a browser may have open at once. One more login removes the cookies of the older ones.
 * Abandoned tabs leave pending logins behind.
 */
const maxPendingLogins = 5;
/** Default lifetime of a session, in seconds. */
const defaultSessionS = 12 * 3600;

/** True when the browser would show the response as a page. Only a navigation is redirected to a login. */
function isNavigation(exchange: Exchange): boolean {
  if (exchange.method !== "GET" && exchange.method !== "HEAD") {
    return false;
  }
  const mode = exchange.header("sec-fetch-mode");
  return mode === ""
    ? exchange.header("accept").includes("text/html") && exchange.header("x-requested-with") === ""
    : mode === "navigate";
}

/** @throws HttpError 425 when the request may be a repetition by somebody else. Source: RFC 8470, section 5.2 */
function refuseEarly(exchange: Exchange): void {
  if (exchange.header("early-data") === "1") {
    throw new HttpError(425);
  }
}

/**
 * Signs users in at an identity provider, and passes requests of signed-in users to the next handler.
 * | Request | Session | Answer |
 * |---|---|---|
 * | callback or logout path, before the handshake of the client is done | any | 425 |
 * | callback path | any | the login is finished; 302 to the page that the user first requested |
 * | logout path | any | cookies are removed; 302 to the provider, or to `after_logout` |
 * | other, a navigation | no session | 302 to the provider |
 * | other, not a navigation | no session | 401 |
 * | other | a rule of `allow` is not met | 403 |
 * | other | valid | the next handler, with the claims |
 * Source: OpenID Connect Core 1.0
 */
export class OidcHandler implements HttpHandler {
  readonly #config: OidcConfig;
  readonly #context: ModuleContext;
  readonly #provider: OidcProvider;
  /** Encrypts sessions and pending logins. */
  readonly #sealer: Sealer;
  /** Prefix of all paths of the config. */
  readonly #basePath: string;
  readonly #callbackPath: string;
  readonly #logoutPath: string;
  /** Common prefix of all cookie names. */
  readonly #cookie: string;
  /** Seconds from login to the end of the session. */
  readonly #lifetimeS: number;
  /** Purpose of the sealed values. Values that were sealed for a different client or provider are refused. */
  readonly #use: string;
  /** Header fields for later handlers, and the claim whose value each field gets. */
  readonly #headers: readonly (readonly [name: string, claim: string])[];

  constructor(config: OidcConfig, context: ModuleContext, provider: OidcProvider) {
    this.#config = config;
    this.#context = context;
    this.#provider = provider;
    this.#sealer = new Sealer(context.messages, "oidc");
    this.#basePath = config.base_path ?? "";
    this.#callbackPath = this.#basePath + (config.callback_path ?? "/oidc/callback");
    this.#logoutPath = this.#basePath + (config.logout_path ?? "/oidc/logout");
    this.#cookie = config.cookie?.name ?? "oidc";
    this.#lifetimeS = config.session_lifetime ? Math.ceil(config.session_lifetime / 1000) : defaultSessionS;
    this.#use = `${config.issuer} ${config.client_id}`;
    this.#headers = Object.entries(config.headers ?? {});
  }

  async handle(exchange: Exchange, next: Next): Promise<void> {
    const cookies = readCookies(exchange);
    const path = exchange.original.target.rawPath;
    if (path === this.#callbackPath) {
      refuseEarly(exchange);
      return this.#callback(exchange, cookies);
    }
    if (path === this.#logoutPath) {
      refuseEarly(exchange);
    }
    const session = await this.#session(exchange, cookies);
    if (path === this.#logoutPath) {
      return this.#logout(exchange, cookies, session);
    }
    if (session === undefined) {
      return this.#demandLogin(exchange, cookies);
    }
    const unmet = unmetRule(session.claims, this.#config.allow ?? []);
    if (unmet !== undefined) {
      const who = claimText(session.claims, "sub").slice(0, 100);
      throw new HttpError(403, `user ${who}: claim ${unmet.claim} is not one of those that are let in`);
    }
    this.#identify(exchange, session);
    return next(exchange);
  }

  close(): Promise<void> {
    return this.#provider.close();
  }

  /**
   * The session of a request. Its tokens are renewed when they expire soon. Undefined when the request has no session.
   */
  async #session(exchange: Exchange, cookies: ReadonlyMap<string, string>): Promise<OidcSession | undefined> {
    const sealed = joinParts(cookies, this.#cookie);
    const payload = sealed === "" ? undefined : await this.#sealer.open(`session ${this.#use}`, sealed);
    const session = readSession(payload);
    if (session === undefined || !isDue(session)) {
      return session;
    }
    const refreshed = await refreshSession(session, this.#provider, this.#config, this.#context.messages);
    if (refreshed.kind === "over") {
      return undefined;
    }
    if (refreshed.kind === "same") {
      return session;
    }
    const set = await this.#keep(exchange, cookies, refreshed.session);
    exchange.beforeHead((headers) => {
      for (const value of set) {
        headers.push("Set-Cookie", value);
      }
    });
    return refreshed.session;
  }

  /** Passes the user's identity to later handlers, and removes identity fields that the client sent. */
  #identify(exchange: Exchange, { claims, accessToken }: OidcSession): void {
    setPlaceholder(exchange, "http.auth.user.id", claimText(claims, "sub"));
    for (const name of Object.keys(claims)) {
      setPlaceholder(exchange, `http.auth.user.${name}`, () => claimText(claims, name));
    }
    hideCookies(exchange, (name) => this.#isOwn(name));
    exchange.changeRequestHeaders((headers) => {
      for (const [name, claim] of this.#headers) {
        const text = claimText(claims, claim).replace(/\p{Cc}/gu, " ");
        setHeader(headers, name, headerBytes(text));
      }
      if (this.#config.pass_access_token === true && accessToken !== undefined) {
        setHeader(headers, "Authorization", `Bearer ${accessToken}`);
      }
    });
  }

  /**
   * Redirects the browser to the provider. A cookie for this login contains the values that the browser must return.
   */
  async #demandLogin(exchange: Exchange, cookies: ReadonlyMap<string, string>): Promise<void> {
    setHeader(exchange.responseHeaders, "Cache-Control", "no-store");
    if (!isNavigation(exchange)) {
      setHeader(exchange.responseHeaders, "WWW-Authenticate", 'Bearer realm="oidc"');
      throw new HttpError(401, "not signed in");
    }
    const configuration = await this.#provider.configuration();
    const { target } = exchange.original;
    const redirectUri = this.#origin(exchange) + this.#callbackPath;
    const { url, pending } = await beginLogin(configuration, this.#config, redirectUri, target.text);
    const attributes = this.#attributes(exchange);
    const others = [...cookies.keys()].filter((name) => name.startsWith(`${this.#cookie}_login_`));
    for (const name of others.length < maxPendingLogins ? [] : others) {
      exchange.responseHeaders.push("Set-Cookie", setCookie(name, "", 0, attributes));
    }
    const sealed = await this.#sealer.seal(`login ${this.#use}`, { ...pending }, loginLifetimeS);
    const name = this.#loginCookie(pending.state);
    exchange.responseHeaders.push("Set-Cookie", setCookie(name, sealed, loginLifetimeS, attributes));
    redirect(exchange, url);
  }

  /** Finishes a login that began in this browser; other requests get 400. */
  async #callback(exchange: Exchange, cookies: ReadonlyMap<string, string>): Promise<void> {
    setHeader(exchange.responseHeaders, "Cache-Control", "no-store");
    const { query } = exchange.original.target;
    const name = this.#loginCookie(new URLSearchParams(query).get("state") ?? "");
    const pending = await this.#pending(cookies.get(name));
    if (pending === undefined) {
      throw new HttpError(400, "this login was not begun in this browser, or took too long: begin again");
    }
    const attributes = this.#attributes(exchange);
    exchange.responseHeaders.push("Set-Cookie", setCookie(name, "", 0, attributes));
    const configuration = await this.#provider.configuration();
    const currentUrl = new URL(this.#origin(exchange) + this.#callbackPath + query);
    const { tokens, userInfo } = await finishLogin(configuration, this.#config, currentUrl, pending);
    const parts = { claims: this.#config.claims, accessToken: this.#config.pass_access_token === true };
    for (const value of await this.#keep(exchange, cookies, makeSession(tokens, parts, userInfo))) {
      exchange.responseHeaders.push("Set-Cookie", value);
    }
    redirect(exchange, pending.returnTo);
  }

  /**
   * Removes the session. The provider's tokens are revoked in the background, and the redirect ends the session at the
   * provider.
   */
  async #logout(
    exchange: Exchange,
    cookies: ReadonlyMap<string, string>,
    session: OidcSession | undefined,
  ): Promise<void> {
    if (exchange.header("sec-fetch-site") === "cross-site") {
      throw new HttpError(403, "another site cannot sign users out");
    }
    setHeader(exchange.responseHeaders, "Cache-Control", "no-store");
    const attributes = this.#attributes(exchange);
    for (const name of [...cookies.keys()].filter((each) => this.#isOwn(each))) {
      exchange.responseHeaders.push("Set-Cookie", setCookie(name, "", 0, attributes));
    }
    const back = this.#basePath + (this.#config.after_logout ?? "/");
    let url: string | undefined;
    try {
      if (session !== undefined) {
        const configuration = await this.#provider.configuration();
        revokeTokens(configuration, session).catch((error: unknown) =>
          this.#context.log.warn(`oidc: taking back tokens: ${faultOf(error)}`),
        );
        url = logoutUrl(configuration, this.#origin(exchange) + back, session.idToken);
      }
    } catch (error) {
      this.#context.log.warn(`oidc: signing out at the provider: ${messageOf(error)}`);
    }
    redirect(exchange, url ?? back);
  }

  /** `Set-Cookie` values that contain a session. @throws ServerError HTTP_RESPONSE when the session is too large */
  async #keep(
    exchange: Exchange,
    cookies: ReadonlyMap<string, string>,
    session: OidcSession,
  ): Promise<string[]> {
    const leftS = session.startedAt + this.#lifetimeS - Math.floor(Date.now() / 1000);
    const sealed = await this.#sealer.seal(
      `session ${this.#use}`,
      { ...session } as unknown as JWTPayload,
      Math.max(leftS, 0),
    );
    return setParts(cookies, {
      name: this.#cookie,
      value: sealed,
      maxAgeS: Math.max(leftS, 0),
      attributes: this.#attributes(exchange),
    });
  }

  /** The pending login in a cookie; undefined for an expired login, or a login of another client or provider. */
  async #pending(sealed: string | undefined): Promise<PendingLogin | undefined> {
    return sealed === undefined
      ? undefined
      : readPending(await this.#sealer.open(`login ${this.#use}`, sealed));
  }

  /** Name of the cookie for a login with this `state`. */
  #loginCookie(state: string): string {
    return `${this.#cookie}_login_${loginName(state)}`;
  }

  /** True for a cookie of this handler. Later handlers do not see such cookies. */
  #isOwn(name: string): boolean {
    return isPartOf(this.#cookie, name) || name.startsWith(`${this.#cookie}_login_`);
  }

  /** Scheme and host as the browser sees them. */
  #origin(exchange: Exchange): string {
    return this.#config.external_url ?? requestOrigin(exchange);
  }

  /** Attributes of all cookies. */
  #attributes(exchange: Exchange): CookieAttributes {
    const { cookie } = this.#config;
    return {
      path: this.#basePath || "/",
      domain: cookie?.domain ?? "",
      sameSite: cookie?.same_site ?? "lax",
      secure: cookie?.secure ?? this.#origin(exchange).startsWith("https:"),
    };
  }
}

/** Redirects with 302, which makes the browser send GET. */
function redirect(exchange: Exchange, url: string): void {
  setHeader(exchange.responseHeaders, "Location", url);
  exchange.respond(302);
}
