import { calculateJwkThumbprint, type JWK } from "jose";
import type { Logger } from "lifecycle";
import { messageOf } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import type { CertificateAuthority } from "../certificate-authority.ts";
import { account, accountUrl, keyChange, newAccount } from "./account-endpoints.ts";
import { type AcmeCall, type AcmeServices, notFound, reply } from "./acme-call.ts";
import type { AcmeReply, AcmeRequest } from "./acme-messages.ts";
import { AcmeProblem } from "./acme-problem.ts";
import type { Account } from "./acme-records.ts";
import { AcmeStore } from "./acme-store.ts";
import { authorization, challenge } from "./authorization-endpoints.ts";
import { KeyedQueue } from "./keyed-queue.ts";
import type { Nonces } from "./nonces.ts";
import { certificate, newOrder, order } from "./order-endpoints.ts";
import { renewalInfo, revokeCertificate } from "./revocation-endpoints.ts";
import { type MessageHeader, readMessage, signatureAlgorithms, verifyMessage } from "./signed-message.ts";
import { Validations } from "./validations.ts";

/** Interval for removing expired orders and certificates from the storage. */
const cleanIntervalMs = 3_600_000;

/** One resource that receives signed messages. */
interface Endpoint {
  /** The required kind of key: a key in the message, the key of an account, or either of them. */
  readonly signedBy: "key" | "account" | "either";
  /** @throws AcmeProblem */
  run(call: AcmeCall): Promise<AcmeReply>;
}

/**
 * Endpoints of signed messages, by the first segment of the path. All other endpoints accept GET and HEAD without a
 * signature.
 */
const endpoints: Readonly<Record<string, Endpoint>> = {
  "new-account": { signedBy: "key", run: newAccount },
  account: { signedBy: "account", run: account },
  "key-change": { signedBy: "account", run: keyChange },
  "new-order": { signedBy: "account", run: newOrder },
  order: { signedBy: "account", run: order },
  authz: { signedBy: "account", run: authorization },
  challenge: { signedBy: "account", run: challenge },
  certificate: { signedBy: "account", run: certificate },
  "revoke-cert": { signedBy: "either", run: revokeCertificate },
};

/** The URLs of all operations. Source: RFC 8555, section 7.1.1 */
function directory(base: string): object {
  return {
    newNonce: `${base}/new-nonce`,
    newAccount: `${base}/new-account`,
    newOrder: `${base}/new-order`,
    revokeCert: `${base}/revoke-cert`,
    keyChange: `${base}/key-change`,
    renewalInfo: `${base}/renewal-info`,
  };
}

/** Serves ACME clients for one CA. Source: RFC 8555 */
export class AcmeServer {
  readonly #services: AcmeServices;
  /** Shared by all authorities and configs. */
  readonly #nonces: Nonces;
  /** Runs every hour until `close`. */
  readonly #cleaning: NodeJS.Timeout;

  constructor(authority: CertificateAuthority, storage: Storage, nonces: Nonces, log: Logger) {
    this.#nonces = nonces;
    const store = new AcmeStore(storage, authority.options.id);
    const queue = new KeyedQueue();
    const validations = new Validations(store, queue, log);
    this.#services = { authority, store, queue, validations, log };
    this.#cleaning = setInterval(() => void this.#clean(), cleanIntervalMs);
    this.#cleaning.unref();
    void this.#clean();
  }

  /** Never rejects. */
  async handle(request: AcmeRequest): Promise<AcmeReply> {
    let answer: AcmeReply;
    try {
      answer = await this.#answer(request);
    } catch (error) {
      answer = this.#describe(error);
    }
    const signed = request.method === "POST" || request.path === "new-nonce";
    return {
      ...answer,
      headers: [
        ...answer.headers,
        "Link",
        `<${request.base}/directory>;rel="index"`,
        ...(signed ? ["Replay-Nonce", this.#nonces.make(), "Cache-Control", "no-store"] : []),
      ],
    };
  }

  /** Ends running checks. A check restarts when its client sends another request. */
  async close(): Promise<void> {
    clearInterval(this.#cleaning);
    await this.#services.validations.close();
  }

  /** Finds the endpoint of a path, and checks method and content type. @throws AcmeProblem */
  async #answer(request: AcmeRequest): Promise<AcmeReply> {
    const { method, base, path, contentType } = request;
    const [name = "", ...rest] = path.split("/");
    const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
    if (endpoint === undefined) {
      if (method !== "GET" && method !== "HEAD") {
        throw new AcmeProblem("malformed", `${method} is not possible here`, 405);
      }
      if (name === "directory" && rest.length === 0) {
        return reply(200, directory(base));
      }
      if (name === "new-nonce" && rest.length === 0) {
        return { status: method === "HEAD" ? 200 : 204, headers: [], body: "" };
      }
      return name === "renewal-info" && rest.length === 1
        ? renewalInfo(this.#services, rest[0] ?? "")
        : notFound("resource");
    }
    if (method !== "POST") {
      throw new AcmeProblem("malformed", `${method}: signed messages come by POST`, 405);
    }
    if (contentType.toLowerCase() !== "application/jose+json") {
      throw new AcmeProblem("malformed", "the content type must be application/jose+json", 415);
    }
    return endpoint.run(await this.#check(request, endpoint, rest));
  }

  /**
   * Checks the message in the order of RFC 8555, section 6: form, URL, key, signature, nonce. The nonce is last, so
   * that a forged message does not consume one.
   * @throws AcmeProblem
   */
  async #check(request: AcmeRequest, endpoint: Endpoint, rest: readonly string[]): Promise<AcmeCall> {
    const { settings, base, path } = request;
    const message = readMessage(request.body);
    const { header } = message;
    const url = `${base}/${path}`;
    if (header.url !== url) {
      throw new AcmeProblem("unauthorized", `the message is for ${header.url.slice(0, 500)}, not for ${url}`);
    }
    const { account: caller, key } = await this.#signer(header, base, endpoint);
    const payload = await verifyMessage(message, key);
    if (header.nonce === undefined || !this.#nonces.take(header.nonce)) {
      throw new AcmeProblem("badNonce", "the nonce was used before, or is not from here");
    }
    return { ...this.#services, settings, base, url, rest, payload, key, account: caller };
  }

  /**
   * Finds the key for the check of the signature. `jwk` contains the key itself; `kid` names the account that has the
   * key. Source: RFC 8555, section 6.2
   * @throws AcmeProblem malformed when the header has the wrong one of `jwk` and `kid`; badPublicKey,
   * accountDoesNotExist, unauthorized
   */
  async #signer(
    { kid, jwk }: MessageHeader,
    base: string,
    { signedBy }: Endpoint,
  ): Promise<{ account: Account | undefined; key: JWK }> {
    if ((kid === undefined) === (jwk === undefined)) {
      throw new AcmeProblem("malformed", "message: either kid or jwk is expected");
    }
    if ((signedBy === "key" && jwk === undefined) || (signedBy === "account" && kid === undefined)) {
      throw new AcmeProblem("malformed", `message: ${signedBy === "key" ? "jwk" : "kid"} is expected here`);
    }
    if (jwk !== undefined) {
      const key: JWK = jwk;
      await calculateJwkThumbprint(key).catch(() => {
        throw new AcmeProblem("badPublicKey", "the key is not whole");
      });
      return { account: undefined, key };
    }
    const prefix = accountUrl(base, "");
    const id = kid?.startsWith(prefix) === true ? kid.slice(prefix.length) : "";
    const found = await this.#services.store.account(id);
    if (found === undefined) {
      throw new AcmeProblem("accountDoesNotExist", "no such account here");
    }
    if (found.status !== "valid") {
      throw new AcmeProblem("unauthorized", `the account is ${found.status}`);
    }
    return { account: found, key: found.key as JWK };
  }

  /**
   * Makes a problem document. An error that is not an {@link AcmeProblem} is logged; the client learns only that the
   * server failed.
   */
  #describe(error: unknown): AcmeReply {
    if (!(error instanceof AcmeProblem)) {
      this.#services.log.error(`acme_server: ${messageOf(error)}`);
    }
    const problem =
      error instanceof AcmeProblem ? error : new AcmeProblem("serverInternal", "see the server's log");
    const algorithms = problem.type === "badSignatureAlgorithm" ? { algorithms: signatureAlgorithms } : {};
    return {
      status: problem.status,
      headers: [
        "Content-Type",
        "application/problem+json",
        ...(problem.type === "rateLimited" ? ["Retry-After", "60"] : []),
      ],
      body: JSON.stringify({ ...problem.document, ...algorithms }),
    };
  }

  /** A failure is only logged, because the next attempt follows within an hour. */
  async #clean(): Promise<void> {
    try {
      await this.#services.store.clean();
    } catch (error) {
      this.#services.log.warn(`acme_server: removing what is over: ${messageOf(error)}`);
    }
  }
}
