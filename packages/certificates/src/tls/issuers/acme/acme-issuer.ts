import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { messageOf, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { defineModule } from "server-core/modules/module";
import { networkProxies } from "server-core/network-proxy";
import { replaceStrictly } from "server-core/placeholders/machine-placeholders";
import type { Storage } from "server-core/storage/storage";
import type { Dispatcher } from "undici";
import { certificateTopics } from "../../../material/certificate-messages.ts";
import { parseCertificates } from "../../../material/pem.ts";
import { readPemFile } from "../../../material/read-file.ts";
import { type DnsProvider, dnsProviders } from "../../dns/dns-provider.ts";
import { checkProxy, openDispatcher } from "../../open-dispatcher.ts";
import type { CertificateIssuer, ChallengeQuestion, IssuedCertificate, IssueRequest } from "../issuer.ts";
import { AcmeAuthority, directoryOf, testDirectoryOf } from "./acme-authority.ts";
import type { AcmeClient } from "./acme-client.ts";
import { describeProblem, type Order, orderSchema } from "./acme-messages.ts";
import { type AcmeConfig, acmeSchema } from "./acme-schema.ts";
import { ChallengeBoard, challengeBoards } from "./challenge-board.ts";
import { thumbprint } from "./jws.ts";
import { type ChallengeType, proveName } from "./prove-name.ts";
import { findSharedChallenge, type StartedChallenge, shareChallenge } from "./shared-challenge.ts";

/** Default timeout in milliseconds of one attempt at one CA, from the order to the certificate. */
const defaultTimeoutMs = 300_000;

/** Services for orders. */
interface AcmeIssuerParts {
  /** Stores the ACME accounts. */
  readonly storage: Storage;
  /** Answers to HTTP and TLS challenges, for the servers of this process. */
  readonly board: ChallengeBoard;
  /** Sets TXT records for `dns-01`; undefined: challenges use HTTP or TLS. */
  readonly dns: DnsProvider | undefined;
  readonly roots: readonly string[];
  /** URL of the proxy to the CAs; "": no proxy; undefined: the proxy in the environment. */
  readonly proxy: string | undefined;
  /** DNS servers of the app `tls`, asked for challenge records; an empty list means the servers of the system. */
  readonly resolvers: () => Promise<readonly string[]>;
}

/** Facts about one order. */
interface OrderTerms {
  /** The type of challenge for every name of the order. */
  readonly type: ChallengeType;
  readonly authority: AcmeAuthority;
  /** Signs requests with the account's key. */
  readonly client: AcmeClient;
  /** Aborts the order. */
  readonly signal: AbortSignal;
}

/**
 * Issues certificates from one CA. If the last attempt failed, the test CA must issue the certificate first.
 *
 * An attempt makes one order for each type of challenge, until a challenge succeeds. Any failure other than a failed
 * challenge ends the attempt.
 */
class AcmeIssuer implements CertificateIssuer {
  readonly key: string;
  readonly local = false;
  readonly #config: AcmeConfig;
  readonly #authority: AcmeAuthority;
  readonly #test: AcmeAuthority | undefined;
  readonly #board: ChallengeBoard;
  readonly #dns: DnsProvider | undefined;
  readonly #roots: readonly string[];
  /** URL of the proxy to the CAs; "": no proxy; undefined: the proxy in the environment. */
  readonly #proxy: string | undefined;
  /** Connections to the CAs; made for the first order, closed with the issuer. */
  #dispatcher: Promise<Dispatcher> | undefined;
  readonly #resolvers: () => Promise<readonly string[]>;

  constructor(config: AcmeConfig, { storage, board, dns, roots, proxy, resolvers }: AcmeIssuerParts) {
    this.#proxy = proxy;
    this.#resolvers = resolvers;
    this.#config = config;
    this.#authority = new AcmeAuthority(directoryOf(config), config, storage);
    const testDirectory = testDirectoryOf(config);
    this.#test = testDirectory === undefined ? undefined : new AcmeAuthority(testDirectory, config, storage);
    this.key = this.#authority.key;
    this.#board = board;
    this.#dns = dns;
    this.#roots = roots;
  }

  /**
   * After a failure, the test CA is tried first, so that repeated failures do not use up the rate limits of the real
   * CA.
   */
  async issue(request: IssueRequest): Promise<IssuedCertificate> {
    const test = this.#test;
    if (test !== undefined && request.failures > 0) {
      try {
        // The test CA does not know certificates of the real CA, so this order replaces none.
        await this.#obtain({ ...request, replaces: undefined }, test);
      } catch (error) {
        throw new ServerError("ACME", `tried out at ${test.key}: ${messageOf(error)}`, { cause: error });
      }
    }
    return this.#obtain(request, this.#authority);
  }

  /** Makes one attempt at one CA. @throws ServerError ACME with the error of every challenge */
  async #obtain(request: IssueRequest, authority: AcmeAuthority): Promise<IssuedCertificate> {
    const timeoutMs = this.#config.acme_timeout || defaultTimeoutMs;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    const client = await authority.open(await this.#open(), signal);
    const faults: string[] = [];
    for (const type of this.#challengesFor(request.name)) {
      try {
        return await this.#order(request, { type, authority, client, signal });
      } catch (error) {
        signal.throwIfAborted();
        // Another type of challenge helps only if the error is about this challenge. Other errors end the attempt,
        // because another challenge would fail too.
        if (!(error instanceof ServerError) || !messageOf(error).includes(type)) {
          throw error;
        }
        faults.push(messageOf(error));
      }
    }
    throw new ServerError("ACME", faults.join("; ") || `${request.name}: no challenge is enabled for it`);
  }

  async suggestRenewal(chainPem: string, signal: AbortSignal): Promise<Date | undefined> {
    const { renewalId } = await import("../../../acme/renewal-id.ts");
    const id = renewalId(new X509Certificate(chainPem));
    const client = await this.#authority.open(await this.#open(), signal);
    const window = id === undefined ? undefined : await client.renewalInfo(id);
    // A random time in the period spreads the renewals of all servers: RFC 9773, section 4.2.
    return (
      window &&
      new Date(window.start.getTime() + Math.random() * (window.end.getTime() - window.start.getTime()))
    );
  }

  /**
   * Finds the answer to a challenge of another instance in the storage. With `distributed: false`, any token gets an
   * answer from the account's key. Source: certmagic
   */
  async answerChallenge(question: ChallengeQuestion): Promise<string | undefined> {
    const { type, name, token } = question;
    if (type === "pki-validation" || !this.#challengesFor(name).includes(type)) {
      return undefined;
    }
    if (this.#config.challenges?.distributed !== false) {
      return findSharedChallenge(this.key, question);
    }
    const key = token === undefined ? undefined : await this.#authority.knownKey();
    return key && `${token}.${thumbprint(key)}`;
  }

  /** Connections are opened at the first use: most servers have an issuer, but few need a certificate soon. */
  #open(): Promise<Dispatcher> {
    this.#dispatcher ??= openDispatcher(this.#roots, this.#proxy);
    return this.#dispatcher;
  }

  /** Cuts open connections, because the config with this issuer has ended. */
  async close(): Promise<void> {
    await (await this.#dispatcher)?.destroy();
  }

  /**
   * Types of challenges in the order in which they are tried. With a DNS provider, only `dns-01`. Without a provider,
   * the list is empty for wildcards.
   */
  #challengesFor(name: string): ChallengeType[] {
    const { challenges } = this.#config;
    if (challenges?.dns) {
      return ["dns-01"];
    }
    if (name.startsWith("*.")) {
      return [];
    }
    return [
      ...(challenges?.http?.disabled === true ? [] : (["http-01"] as const)),
      ...(challenges?.["tls-alpn"]?.disabled === true ? [] : (["tls-alpn-01"] as const)),
    ];
  }

  /** Orders, proves and fetches a certificate. @throws ServerError ACME */
  async #order(
    { name, key, replaces, storage }: IssueRequest,
    { type, authority, client, signal }: OrderTerms,
  ): Promise<IssuedCertificate> {
    const { profile, certificate_lifetime: lifetimeMs } = this.#config;
    const account = await authority.account();
    const { renewalId } = await import("../../../acme/renewal-id.ts");
    const replacesId = replaces === undefined ? undefined : renewalId(new X509Certificate(replaces));
    const { renewalInfo } = await client.directory();
    const { url, order } = await client.newOrder({
      identifiers: [{ type: isIP(name) === 0 ? "dns" : "ip", value: name }],
      ...(profile ? { profile } : {}),
      ...(lifetimeMs ? { notAfter: new Date(Date.now() + lifetimeMs).toISOString() } : {}),
      ...(renewalInfo !== undefined && replacesId !== undefined ? { replaces: replacesId } : {}),
    });
    const { challenges } = this.#config;
    const own = challenges?.dns?.resolvers ?? [];
    const resolvers = own.length > 0 ? own : await this.#resolvers();
    for (const authorization of order.authorizations) {
      const tools = {
        client,
        board: this.#board,
        share:
          challenges?.distributed === false
            ? undefined
            : (challenge: StartedChallenge) => shareChallenge(storage, this.key, challenge),
        accountKey: account.key,
        challenges,
        dns: this.#dns,
        resolvers,
        signal,
      };
      await proveName(authorization, type, tools);
    }
    const { makeRequest } = await import("../../../material/x509.ts"); // loaded on first use
    const csr = (await makeRequest([name], key)).toString("base64url");
    // All names are proved, but the CA may need a moment until the order is `ready`.
    await client.poll(url, orderSchema, ({ status }) => status !== "pending");
    await client.post(order.finalize, { csr });
    const done = await client.poll(
      url,
      orderSchema,
      ({ status }) => status === "valid" || status === "invalid",
    );
    return {
      chainPem: this.#choose(await client.certificates(certificateOf(done, name))),
      data: { url, ca: authority.directoryUrl },
    };
  }

  /**
   * Chooses the preferred chain: the shortest, or the first chain with an issuer of the config's list. Without a match,
   * the CA's default chain is chosen.
   */
  #choose(chains: readonly string[]): string {
    const { preferred_chains: preferred } = this.#config;
    const parsed = chains.map((pem) => ({ pem, issuers: parseCertificates(pem, this.key).map(issuerName) }));
    if (preferred?.smallest === true) {
      return parsed.reduce((a, b) => (b.issuers.length < a.issuers.length ? b : a)).pem;
    }
    for (const name of preferred?.root_common_name ?? []) {
      const found = parsed.find(({ issuers }) => issuers.at(-1) === name);
      if (found !== undefined) {
        return found.pem;
      }
    }
    for (const name of preferred?.any_common_name ?? []) {
      const found = parsed.find(({ issuers }) => issuers.includes(name));
      if (found !== undefined) {
        return found.pem;
      }
    }
    return parsed[0]?.pem ?? "";
  }
}

/** URL of an order's certificate. @throws ServerError ACME for an order that ended without a certificate */
function certificateOf(order: Order, name: string): string {
  if (order.certificate === undefined) {
    throw new ServerError(
      "ACME",
      `${name}: order is ${order.status}${order.error ? `: ${describeProblem(order.error)}` : ""}`,
    );
  }
  return order.certificate;
}

/** Common name of the issuer; "" when the issuer has none. */
function issuerName(certificate: X509Certificate): string {
  return /^CN=(.+)$/m.exec(certificate.issuer)?.[1] ?? "";
}

/** Fills placeholders in a URL. @throws ServerError MODULE_CONFIG when the result is not a URL */
function filledUrl(field: string, text: string | null | undefined): string | undefined {
  const url = text ? replaceStrictly(text) : undefined;
  if (url !== undefined && !URL.canParse(url)) {
    throw new ServerError("MODULE_CONFIG", `${field}: ${JSON.stringify(url)} is no URL`);
  }
  return url;
}

/**
 * The config after its placeholders are replaced by values.
 * @throws ServerError MODULE_CONFIG for a placeholder without a value. Source: Caddy 2.11
 */
function filledConfig(config: AcmeConfig): AcmeConfig {
  const fill = (text: string | null | undefined) => (text ? replaceStrictly(text) : text);
  const { challenges, external_account: account } = config;
  const dns = challenges?.dns;
  return {
    ...config,
    ca: filledUrl("ca", config.ca),
    test_ca: filledUrl("test_ca", config.test_ca),
    email: fill(config.email),
    account_key: fill(config.account_key),
    external_account: account && {
      key_id: replaceStrictly(account.key_id),
      mac_key: replaceStrictly(account.mac_key),
    },
    challenges: challenges && {
      ...challenges,
      dns: dns && { ...dns, override_domain: fill(dns.override_domain) },
    },
  };
}

export const acmeIssuer = defineModule({
  id: "tls.issuance.acme",
  config: acmeSchema,
  async provision(configured, context): Promise<CertificateIssuer> {
    const config = filledConfig(configured);
    const { dns } = config.challenges ?? {};
    if (dns && !dns.provider) {
      throw new ServerError("MODULE_CONFIG", "DNS challenge enabled, but no DNS provider configured");
    }
    const provider = dns
      ? await context.loadInline(dnsProviders, "name", dns.provider as JsonValue, "challenges/dns/provider")
      : undefined;
    const roots = await Promise.all(
      (config.trusted_roots_pem_files ?? []).map(async (path) => String(await readPemFile(path))),
    );
    const proxy = config.network_proxy
      ? (await context.loadInline(networkProxies, "from", config.network_proxy as JsonValue, "network_proxy"))
          .url
      : undefined;
    checkProxy(proxy);
    const board = await context.acquire(challengeBoards, "", () => new ChallengeBoard());
    const resolvers = async () =>
      (await context.messages.askMain(certificateTopics.resolvers, null)) as readonly string[];
    return new AcmeIssuer(config, {
      storage: context.storage,
      board: board.value,
      dns: provider,
      roots,
      proxy,
      resolvers,
    });
  },
});
