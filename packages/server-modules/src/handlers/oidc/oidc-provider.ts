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

/** Limit of one answer of a provider. */
const maxAnswerBytes = 1024 * 1024;
/** Seconds for one answer. */
const timeoutS = 10;
/** A provider that was away is asked again so soon. */
const pauseMs = 5_000;
/** Time for which a discovery result is trusted. */
const trustedMs = 3_600_000;

/**
 * An identity provider, described by its discovery document. The discovery document is fetched when it is
 * first needed, and again after an hour. A failed look leaves the document before in use; without one, logins get
 * 502 for 5 s before the provider is asked again.
 */
export class OidcProvider {
  readonly #config: OidcConfig;
  readonly #secret: string;
  /** Connections to the provider, with its trusted roots. */
  readonly #agent: Agent;
  /** The document, or the look for it. */
  #found: Promise<Configuration> | undefined;
  /** When that look began, in milliseconds since 1970. */
  #foundAt = 0;
  /** When the last look failed. */
  #failedAt = 0;

  /** @param roots trusted roots in PEM, in addition to the system's */
  constructor(config: OidcConfig, secret: string, roots: readonly string[]) {
    this.#config = config;
    this.#secret = secret;
    this.#agent = new Agent({
      allowH2: false,
      maxResponseSize: maxAnswerBytes,
      ...(roots.length > 0 ? { connect: { ca: [...rootCertificates, ...roots] } } : {}),
    });
  }

  /** @throws HttpError 502 while the provider is away */
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

  /** Asks for the document. Plain HTTP is allowed for a provider on this machine only. */
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
      // undici's own fetch and the global one are the same but for their types.
      [customFetch]: ask as unknown as CustomFetch,
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [allowInsecureRequests] : [])],
    });
  }
}

/** The fault of a provider in one line; the cause says more than "fetch failed". */
export function faultOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? `${messageOf(error)}: ${messageOf(cause)}` : messageOf(error);
}
