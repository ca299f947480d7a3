import { createHash, X509Certificate } from "node:crypto";
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
} from "node:tls";
import { LRUCache } from "lru-cache";
import { errorWithin } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleContext } from "server-core/modules/module-context";
import type { CertificateAnswer } from "../../material/certificate-messages.ts";
import type { CertificateSelection } from "../../material/certificate-selection.ts";
import type { CertificateSource } from "../certificates/certificate-source.ts";
import { type Handshake, type HandshakeMatcher, handshakeMatchers } from "../matchers/handshake-matcher.ts";
import { policyTicketKey, ticketKeyName } from "../session-tickets.ts";
import { cipherList, groupNames } from "./cipher-names.ts";
import { type ClientAuth, loadClientAuth } from "./client-auth.ts";
import { judgeChain, judgingContext } from "./judge-chain.ts";
import type { ConnectionPolicyConfig } from "./policy-schema.ts";
import { subjectName } from "./subject-name.ts";

/** Maximum number of contexts of the TLS library in one policy; each uses about 20 KB. */
const maxContexts = 1_000;
/**
 * Maximum number of cached contexts that check the certificates of QUIC clients. A further one replaces the least
 * recently used.
 */
const maxJudges = 100;

/** Names of versions in configs → Node's names. Older versions cannot be configured. */
const secureVersions: Readonly<Record<string, SecureVersion>> = { "tls1.2": "TLSv1.2", "tls1.3": "TLSv1.3" };

/** Protocols in the form of the extension: RFC 7301, section 3.1. */
function encodeProtocols(names: readonly string[]): Buffer {
  return Buffer.concat(names.map((name) => Buffer.from([name.length, ...Buffer.from(name, "latin1")])));
}

/** Converts certificates into the options of `createSecureContext`. */
function keyPairs(certificates: CertificateAnswer["certificates"]): { cert: string[]; key: string[] } {
  return { cert: certificates.map(({ cert }) => cert), key: certificates.map(({ key }) => key) };
}

/** A policy's requirements for client certificates, for handshakes outside the TLS library, such as QUIC handshakes. */
export interface ForeignClientAuth {
  /** True when clients without a certificate are refused. */
  readonly required: boolean;
  /** Names of the trusted CAs, DER; empty: the server sends clients no list of CAs. */
  readonly authorities: readonly Buffer[];
  /**
   * Checks the chain of a client that has proved possession of its key.
   * @param chain DER, the client's own certificate first
   * @returns the reason for a refusal; undefined when the client is accepted
   */
  fault(chain: readonly Buffer[]): Promise<string | undefined>;
}

/** Rules for handshakes of one kind, such as the handshakes for certain names. */
export class ConnectionPolicy {
  /** Says which policy a session or an answer belongs to. */
  readonly id: string;
  /** True: connections under this policy are closed without an alert. */
  readonly drop: boolean;
  /** Application protocols in the server's order of preference; empty: the server agrees to no protocol. */
  readonly protocols: Buffer;
  /** Conditions for choosing among certificates; undefined: only the client's supported kinds of keys decide. */
  readonly selection: CertificateSelection | undefined;
  /** Name for clients that send no name; "": the address that the client connected to. */
  readonly defaultName: string;
  /** Name to use when the requested name has no certificate; "": no other name, so the handshake fails. */
  readonly fallbackName: string;
  /** Check of client certificates; undefined: the server requests no client certificate. */
  readonly clientAuth: ClientAuth | undefined;
  readonly #config: ConnectionPolicyConfig;
  readonly #matchers: readonly HandshakeMatcher[];
  /** Cached contexts, by the ID of their certificates and the index of their ticket key. */
  readonly #contexts = new LRUCache<string, SecureContext>({ max: maxContexts });
  /** Cached contexts for checks of client chains, by the ID of the server's certificates. */
  readonly #judges = new LRUCache<string, SecureContext>({ max: maxJudges });
  /** Names of trusted CAs, read in the first QUIC handshake. */
  #authorities: readonly Buffer[] | undefined;
  /** Value of the source's `ticketGeneration` when the keys were read; -1 before the first handshake. */
  #ticketGeneration = -1;
  /** Ticket keys of this policy, newest first. */
  #ticketKeys: readonly Buffer[] = [];
  /** Names of `#ticketKeys`, in the same order. */
  #ticketKeyNames: readonly string[] = [];

  private constructor(
    config: ConnectionPolicyConfig,
    matchers: readonly HandshakeMatcher[],
    clientAuth: ClientAuth | undefined,
    protocols: readonly string[],
  ) {
    this.#config = config;
    this.#matchers = matchers;
    this.clientAuth = clientAuth;
    this.id = createHash("sha256")
      .update(JSON.stringify([config, clientAuth?.ca]))
      .digest("base64url");
    this.drop = config.drop === true;
    this.protocols = encodeProtocols(protocols);
    this.selection = config.certificate_selection ?? undefined;
    this.defaultName = config.default_sni?.toLowerCase() ?? "";
    this.fallbackName = config.fallback_sni?.toLowerCase() ?? "";
  }

  /**
   * @param protocols application protocols for a policy that names none
   * @throws ServerError MODULE_CONFIG, CERTIFICATE
   */
  static async load(
    config: ConnectionPolicyConfig,
    context: ModuleContext,
    path: string,
    protocols: readonly string[],
  ): Promise<ConnectionPolicy> {
    const matchers: HandshakeMatcher[] = [];
    for (const [name, matcher] of Object.entries(config.match ?? {})) {
      try {
        matchers.push(
          await context.load(handshakeMatchers, name, matcher as JsonValue, `${path}/match/${name}`),
        );
      } catch (error) {
        throw errorWithin("loading handshake matchers", error);
      }
    }
    const { client_authentication: auth } = config;
    const clientAuth = auth
      ? await loadClientAuth(auth, context, `${path}/client_authentication`)
      : undefined;
    const policy = new ConnectionPolicy(config, matchers, clientAuth, config.alpn ?? protocols);
    policy.#make([], undefined); // settings that the TLS library refuses are a fault of the config
    return policy;
  }

  /** True when clients may use TLS 1.3, which QUIC requires. */
  get servesTls13(): boolean {
    return this.#config.protocol_max !== "tls1.2";
  }

  /** The first field of the policy that QUIC handshakes do not support yet; "" without such a field. */
  get beyondQuic(): "" | "curves" | "cipher_suites" {
    if (this.#config.curves?.length) {
      return "curves";
    }
    return this.#config.cipher_suites?.some(
      (name) => name.startsWith("TLS_AES") || name.startsWith("TLS_CHACHA"),
    )
      ? "cipher_suites"
      : "";
  }

  /** True when all matchers of the policy match. A policy without matchers accepts every handshake. */
  matches(handshake: Handshake): boolean {
    return this.#matchers.every((matcher) => matcher.matches(handshake));
  }

  /**
   * The library's context for some certificates. A context has only one ticket key: the key of the client's ticket
   * while that is valid, otherwise the newest key.
   * @param ticketKey name of the key that encrypted the client's ticket; "" without a ticket
   * @throws the library's error for the certificates
   */
  context(answer: CertificateAnswer, source: CertificateSource, ticketKey: string): SecureContext {
    if (this.#ticketGeneration !== source.ticketGeneration) {
      this.#ticketGeneration = source.ticketGeneration;
      this.#contexts.clear();
      this.#ticketKeys = source.ticketKeys.map((key) => policyTicketKey(key, this.id));
      this.#ticketKeyNames = this.#ticketKeys.map(ticketKeyName);
    }
    const position = ticketKey === "" ? 0 : Math.max(0, this.#ticketKeyNames.indexOf(ticketKey));
    const slot = position === 0 ? answer.id : `${answer.id} ${position}`;
    let context = this.#contexts.get(slot);
    if (context === undefined) {
      context = this.#make(answer.certificates, this.#ticketKeys[position]);
      this.#contexts.set(slot, context);
    }
    return context;
  }

  /**
   * @param answer certificates that the server sends to the client
   * @returns undefined when the policy requests no client certificate
   */
  foreignClientAuth(answer: CertificateAnswer): ForeignClientAuth | undefined {
    const { clientAuth } = this;
    if (clientAuth === undefined) {
      return undefined;
    }
    this.#authorities ??= (clientAuth.ca ?? []).map((pem) => subjectName(new X509Certificate(pem).raw));
    return {
      required: clientAuth.required,
      authorities: this.#authorities,
      fault: (chain) => judgeChain(chain, this.#judging(answer), (socket) => clientAuth.fault(socket)),
    };
  }

  /** Context with which the library checks client chains that came over QUIC. */
  #judging({ id, certificates }: CertificateAnswer): SecureContext {
    let context = this.#judges.get(id);
    if (context === undefined) {
      context = judgingContext({ ...keyPairs(certificates), ...this.#trust() });
      this.#judges.set(id, context);
    }
    return context;
  }

  /** Trusted CAs; empty when no client certificate is requested. */
  #trust(): SecureContextOptions {
    return this.clientAuth?.ca === undefined
      ? {}
      : // Trusted certificates may also be intermediates, whose root is missing.
        { ca: [...this.clientAuth.ca], allowPartialTrustChain: true };
  }

  /** Builds a context of the TLS library. @throws the library's error for keys, suites or curves */
  #make(certificates: CertificateAnswer["certificates"], ticketKey: Buffer | undefined): SecureContext {
    const { cipher_suites: ciphers, curves, protocol_min: min, protocol_max: max } = this.#config;
    const groups = curves?.map((name) => groupNames.get(name) ?? name).join(":");
    return createSecureContext({
      ...keyPairs(certificates),
      minVersion: secureVersions[min ?? ""] ?? "TLSv1.2",
      maxVersion: secureVersions[max ?? ""] ?? "TLSv1.3",
      ciphers: cipherList(ciphers),
      honorCipherOrder: true,
      ...(groups ? { ecdhCurve: groups } : {}),
      ...this.#trust(),
      // A session can only be resumed under the policy with which it began.
      sessionIdContext: this.id.slice(0, 32),
      ...(ticketKey === undefined ? { secureOptions: noTickets } : { ticketKeys: ticketKey }),
    });
  }
}

/** SSL_OP_NO_TICKET of OpenSSL. */
const noTickets = 1 << 14;
