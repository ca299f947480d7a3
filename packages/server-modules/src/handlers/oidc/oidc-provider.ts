import { rootCertificates } from "node:tls";
import { HttpError } from "http-engine/http-error";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from "openid-client";
import { messageOf } from "server-core/errors";
import { Agent, fetch } from "undici";
import type { OidcConfig } from "./oidc-config.ts";

/** Maximum number of bytes of a provider's response. A longer response fails the request. */
const maxAnswerBytes = 1024 * 1024;
/** Timeout of a provider's response, in seconds. */
const timeoutS = 10;
/** Milliseconds without a new attempt after a failed discovery. */
const pauseMs = 5_000;
/** Milliseconds for which a discovery document is used before it is fetched again. */
const trustedMs = 3_600_000;

/**
 * An identity provider, described by its discovery document. The document is fetched on first use, and again after an
 * hour. If a fetch fails, the previous document stays in use. Without a document, logins get 502 for 5 s until the next
 * attempt.
 */
export class OidcProvider {
  readonly #config: OidcConfig;
  readonly #secret: string;
  /** Connections to the provider, with its trusted roots. */
  readonly #agent: Agent;
  /** Promise of the document, also while it is fetched. */
  #found: Promise<Configuration> | undefined;
  /** Start of that fetch, in milliseconds since 1970. */
  #foundAt = 0;
  /** Time of the last failed fetch, in milliseconds since 1970. */
  #failedAt = 0;

  /** @param roots trusted root certificates in PEM, in addition to the system's */
  constructor(config: OidcConfig, secret: string, roots: readonly string[]) {
    this.#config = config;
    this.#secret = secret;
    this.#agent = new Agent({
      allowH2: false,
      maxResponseSize: maxAnswerBytes,
      ...(roots.length > 0 ? { connect: { ca: [...rootCertificates, ...roots] } } : {}),
    });
  }

  /** @throws HttpError 502 while the provider is unreachable */
  async configuration(): Promise<Configuration> {
    const now = Date.now();
    if (this.#found === undefined || now - this.#foundAt >= trustedMs) {
      if (now - this.#failedAt < pauseMs) {
        throw new HttpError(502, `identity provider ${this.#config.issuer} was away a moment ago`);
      }
      const before = this.#found;
      this.#foundAt = now;
      this.#found = this.#discover().catch((error: unknown) => {
        this.#failedAt = Date.now();
        this.#found = before;
        if (before !== undefined) {
          return before;
        }
        throw new HttpError(502, `identity provider ${this.#config.issuer}: ${faultOf(error)}`);
      });
    }
    return this.#found;
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Fetches the document. Plain HTTP is allowed only for a provider on this machine. */
  #discover(): Promise<Configuration> {
    const { issuer, client_id: clientId, client_auth: auth } = this.#config;
    const secret = this.#secret;
    const method =
      secret === "" || auth === "none"
        ? None()
        : auth === "post"
          ? ClientSecretPost(secret)
          : ClientSecretBasic(secret);
    const ask = (url: string, options: object) => fetch(url, { ...options, dispatcher: this.#agent });
    return discovery(new URL(issuer), clientId, undefined, method, {
      timeout: timeoutS,
      // undici's own fetch and the global fetch differ only in their types.
      [customFetch]: ask as unknown as CustomFetch,
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [allowInsecureRequests] : [])],
    });
  }
}

/** Describes a provider error in one line. The cause has more detail than "fetch failed". */
export function faultOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? `${messageOf(error)}: ${messageOf(cause)}` : messageOf(error);
}
