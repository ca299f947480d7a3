import type { KeyObject } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf, ServerError } from "server-core/errors";
import { readWithin } from "server-core/net/read-within";
import type { Dispatcher } from "undici";
import type { z } from "zod";
import {
  type Authorization,
  authorizationSchema,
  describeProblem,
  directorySchema,
  type Order,
  orderSchema,
  problemSchema,
  renewalInfoSchema,
} from "./acme-messages.ts";
import { externalAccountBinding, publicJwk, signMessage } from "./jws.ts";
import { retryTime } from "./retry-time.ts";

const maxAnswerBytes = 1024 * 1024;
/** Timeout of one request, from the connection to the end of the answer. */
const requestTimeoutMs = 30_000;
/**
 * Maximum number of attempts to send one message. After each refusal with `badNonce`, the message is sent again with a
 * new nonce.
 */
const maxNonceTries = 5;
/** First pause in milliseconds between two polls. Each later pause is twice as long. */
const pollMs = 1_000;
/**
 * Longest pause in milliseconds, even if the CA asks for a longer pause. A longer pause would delay the certificate
 * after the decision.
 */
const maxPollMs = 10_000;
/** Value of `User-Agent`, which RFC 8555, section 6.1 requires. */
const userAgent = "server-acme/1";

/** An authority's answer, with any status. */
interface Answer {
  readonly status: number;
  /** Header fields, with names in lower case. */
  readonly headers: Record<string, string | string[] | undefined>;
  /** The body: JSON, or PEM for a certificate. */
  readonly text: string;
}

/** The server's account at an authority. */
export interface AcmeAccount {
  /** Signs every message of the account. */
  readonly key: KeyObject;
  /** URL of the account; "" before the account is registered. */
  kid: string;
}

/** One CA, and the server's account with it. */
export interface AcmeClientOptions {
  /** URL of the directory, which lists the authority's other URLs. Source: RFC 8555, section 7.1.1 */
  readonly directoryUrl: string;
  /** Connections to the authority, which trust the configured roots. */
  readonly dispatcher: Dispatcher;
  /** The account. While `kid` is "", `register` must be called before the first order. */
  readonly account: AcmeAccount;
  /** Aborts all requests and pauses of the attempt. */
  readonly signal: AbortSignal;
}

/** All values of a header as one text; "" for a missing header. */
function headerText(answer: Answer, name: string): string {
  const value = answer.headers[name];
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}

/**
 * ACME client (RFC 8555) for one authority and one account. Each attempt has its own client.
 *
 * Order of calls: `register` without `kid`; `newOrder`; for each name `authorization`, `post` and `poll`; finally
 * `post` to `finalize`, `poll` and `certificates`.
 */
export class AcmeClient {
  readonly #options: AcmeClientOptions;
  /** The authority's directory, requested once. */
  #directory: Promise<z.infer<typeof directorySchema>> | undefined;
  /**
   * Nonce of the last answer; "" after its use, or if the answer had no nonce. Each message needs a new nonce: RFC
   * 8555, section 6.5.
   */
  #nonce = "";

  constructor(options: AcmeClientOptions) {
    this.#options = options;
  }

  /** @throws ServerError ACME when the authority is unreachable, or the answer is not an ACME directory */
  directory(): Promise<z.infer<typeof directorySchema>> {
    this.#directory ??= this.#get(this.#options.directoryUrl).then((answer) =>
      this.#parse(answer, directorySchema),
    );
    return this.#directory;
  }

  /** Registers the account, or finds the existing account of the key. @throws ServerError ACME */
  async register(
    contact: string,
    external?: { readonly keyId: string; readonly macKey: string },
  ): Promise<void> {
    const { newAccount, meta } = await this.directory();
    const { account } = this.#options;
    if (meta?.externalAccountRequired === true && external === undefined) {
      throw new ServerError("ACME", "the authority wants an external account: set external_account");
    }
    const answer = await this.post(newAccount, {
      termsOfServiceAgreed: true,
      ...(contact === "" ? {} : { contact: [`mailto:${contact}`] }),
      ...(external === undefined
        ? {}
        : {
            externalAccountBinding: externalAccountBinding(
              newAccount,
              external.keyId,
              external.macKey,
              account.key,
            ),
          }),
    });
    account.kid = headerText(answer, "location");
  }

  /** @returns the order and its URL. @throws ServerError ACME */
  async newOrder(order: object): Promise<{ url: string; order: Order }> {
    const { newOrder } = await this.directory();
    const answer = await this.post(newOrder, order);
    return { url: headerText(answer, "location"), order: this.#parse(answer, orderSchema) };
  }

  /** @throws ServerError ACME */
  async authorization(url: string): Promise<Authorization> {
    return this.#parse(await this.post(url, ""), authorizationSchema);
  }

  /**
   * Polls an authorization or an order until `done` returns true. Pauses grow from one second to ten seconds;
   * `Retry-After` replaces a pause, but never by more than ten seconds.
   * @throws ServerError ACME; the reason of `signal`, which is the only time limit
   */
  async poll<Value>(url: string, schema: z.ZodType<Value>, done: (value: Value) => boolean): Promise<Value> {
    for (let pause = pollMs; ; pause = Math.min(maxPollMs, pause * 2)) {
      const answer = await this.post(url, "");
      const value = this.#parse(answer, schema);
      if (done(value)) {
        return value;
      }
      const now = Date.now();
      const asked = (retryTime(headerText(answer, "retry-after"), now) ?? now) - now;
      await wait(asked > 0 ? Math.min(asked, maxPollMs) : pause, undefined, { signal: this.#options.signal });
    }
  }

  /**
   * The certificate of an order, with the CA's default chain and its alternative chains: RFC 8555, section 7.4.2.
   * @throws ServerError ACME
   */
  async certificates(url: string): Promise<string[]> {
    const first = await this.post(url, "");
    const chains = [first.text];
    for (const [, alternate] of headerText(first, "link").matchAll(/<([^>]+)>\s*;\s*rel="alternate"/g)) {
      chains.push((await this.post(alternate ?? "", "")).text);
    }
    return chains;
  }

  /** The period for a renewal. @param id RFC 9773, section 4.1. @returns undefined when the CA suggests no period */
  async renewalInfo(id: string): Promise<{ start: Date; end: Date } | undefined> {
    const { renewalInfo } = await this.directory();
    if (renewalInfo === undefined) {
      return undefined;
    }
    return this.#parse(await this.#get(`${renewalInfo}/${id}`), renewalInfoSchema).suggestedWindow;
  }

  /**
   * Sends a signed message. When the authority refuses the nonce, the message is sent again with a new nonce, at most
   * five times in total: RFC 8555, section 6.5.
   * @param payload "" for a request that only reads (POST-as-GET)
   * @throws ServerError ACME with the authority's reason
   */
  async post(url: string, payload: unknown): Promise<Answer> {
    const { account } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const nonce = this.#nonce || (await this.#newNonce());
      this.#nonce = "";
      const who = account.kid === "" ? { jwk: publicJwk(account.key) } : { kid: account.kid };
      const body = signMessage({ ...who, nonce, url }, payload, account.key);
      const answer = await this.#send(url, "POST", body);
      if (answer.status < 400) {
        return answer;
      }
      const problem = this.#problem(answer);
      if (!problem.type.endsWith(":badNonce") || attempt >= maxNonceTries) {
        throw this.#refusal(answer, describeProblem(problem));
      }
    }
  }

  /** Requests a nonce: before the first message, and after an answer without `Replay-Nonce`. */
  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory();
    const answer = await this.#send(newNonce, "HEAD");
    if (answer.status >= 400) {
      throw this.#refusal(answer, newNonce);
    }
    return this.#nonce;
  }

  /** Reads a resource without a signature. @throws ServerError ACME for any status but 200 */
  async #get(url: string): Promise<Answer> {
    const answer = await this.#send(url, "GET");
    if (answer.status !== 200) {
      throw this.#refusal(answer, url);
    }
    return answer;
  }

  /**
   * The error for an authority's refusal. The error contains the time of the next allowed request, if the CA names it
   * (RFC 8555, section 6.6).
   */
  #refusal(answer: Answer, what: string): ServerError {
    const retryAtMs = retryTime(headerText(answer, "retry-after"), Date.now());
    const later = retryAtMs === undefined ? "" : ` (not before ${new Date(retryAtMs).toISOString()})`;
    return new ServerError("ACME", `${answer.status} ${what}${later}`, { retryAtMs });
  }

  /** Sends one request, and stores the nonce of its answer. @throws ServerError ACME for an unreachable CA */
  async #send(url: string, method: "GET" | "HEAD" | "POST", body?: string): Promise<Answer> {
    const { dispatcher, signal } = this.#options;
    try {
      const { request } = await import("undici"); // loaded on first use, because most starts never need it
      const response = await request(url, {
        method,
        dispatcher,
        signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
        headers: {
          "user-agent": userAgent,
          ...(body === undefined ? {} : { "content-type": "application/jose+json" }),
        },
        ...(body === undefined ? {} : { body }),
      });
      const answer = {
        status: response.statusCode,
        headers: response.headers,
        text: (await readWithin(response.body, maxAnswerBytes)).toString(),
      };
      this.#nonce = headerText(answer, "replay-nonce") || this.#nonce;
      return answer;
    } catch (error) {
      throw error instanceof ServerError
        ? error
        : new ServerError("ACME", `${new URL(url).origin}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** The reason in a refusal. If the body is no problem document, its first 200 characters are shown. */
  #problem(answer: Answer): z.infer<typeof problemSchema> {
    try {
      return problemSchema.parse(JSON.parse(answer.text));
    } catch {
      return { type: "about:blank", detail: answer.text.slice(0, 200) };
    }
  }

  /** @throws ServerError ACME when the answer does not match the schema */
  #parse<Value>(answer: Answer, schema: z.ZodType<Value>): Value {
    try {
      return schema.parse(JSON.parse(answer.text));
    } catch (error) {
      throw new ServerError(
        "ACME",
        `${this.#options.directoryUrl}: an answer that is no ACME: ${messageOf(error)}`,
      );
    }
  }
}
