import { Resolver } from "node:dns/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import { inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import type { Storage } from "server-core/storage/storage";
import type { Dispatcher } from "undici";
import { z } from "zod";
import { challengeTokenOf } from "../../../acme/challenge-names.ts";
import { certificateTopics } from "../../../material/certificate-messages.ts";
import { type DnsProvider, dnsProviders } from "../../dns/dns-provider.ts";
import { dnsRecordFields } from "../../dns/dns-record-fields.ts";
import { openDispatcher } from "../../open-dispatcher.ts";
import { ChallengeBoard, challengeBoards } from "../acme/challenge-board.ts";
import { listenForTokens } from "../acme/challenge-listener.ts";
import { findSharedFile, shareFile } from "../acme/shared-challenge.ts";
import type { CertificateIssuer, ChallengeQuestion, IssuedCertificate, IssueRequest } from "../issuer.ts";
import { ZerosslClient } from "./zerossl-client.ts";

/** Base of the API's URLs. */
const authority = "https://api.zerossl.com";
/** Timeout of one attempt, from the order to the certificate. */
const timeoutMs = 10 * 60_000;
/** Pause in milliseconds between two polls for the certificate. */
const pollMs = 5_000;
/**
 * Timeout for cancelling an order after a failure. A separate timeout is needed, because the timeout of the attempt may
 * have passed.
 */
const cancelTimeoutMs = 10_000;
const defaultTtlMs = 120_000;
/** Default time in milliseconds to wait until the record is visible. */
const defaultPropagationMs = 120_000;
/** Pause in milliseconds between two DNS lookups. */
const lookupPauseMs = 2_000;

/** Config of the issuer `zerossl`. Source: Caddy 2.11 */
export const zerosslSchema = z.strictObject({
  api_key: z
    .string()
    .min(1)
    .describe("Access key of the account; global placeholders allowed, such as {env.X} and {file./path}."),
  validity_days: z
    .int()
    .min(0)
    .nullish()
    .describe("Days that certificates are good for (the authority's choice)."),
  listen_host: z.string().nullish().describe("Address for the listener that the authority asks (all)."),
  alternate_http_port: z.int().min(0).max(65_535).nullish().describe("Port on which port 80 arrives (80)."),
  cname_validation: z
    .strictObject({
      provider: inlineModule("dns.providers", "name").nullish().describe("Who changes the zone."),
      ...dnsRecordFields,
      override_domain: z.string().nullish().describe("Name of the record, in place of the authority's."),
    })
    .nullish()
    .describe("Names are proved by a CNAME record, not over HTTP, where it has a provider."),
});

/** The config after the placeholders of `api_key` are filled. */
type ZerosslConfig = z.infer<typeof zerosslSchema>;

/** The services of an issuer. */
export interface ZerosslParts {
  readonly config: ZerosslConfig;
  readonly board: ChallengeBoard;
  readonly log: Logger;
  /** Provider that sets the CNAME record; undefined: names are proved over HTTP. */
  readonly dns: DnsProvider | undefined;
  /** DNS servers of the app `tls`; empty: the servers of the system. */
  resolvers(): Promise<readonly string[]>;
  /** Base URL of the authority's API. */
  readonly base: string;
  /** Pause in milliseconds between two polls for the certificate. */
  readonly pollMs: number;
}

/** The data for proving one name: URL and lines of a file, or name and target of a CNAME record. */
type Validation = NonNullable<
  NonNullable<Awaited<ReturnType<ZerosslClient["create"]>>["validation"]>["other_methods"]
>[string];

/** A certificate whose name must be proved. */
interface Proof {
  /** The certificate's id at ZeroSSL. */
  readonly id: string;
  readonly name: string;
  /** The file or CNAME record that proves the name to ZeroSSL. */
  readonly validation: Validation;
  readonly storage: Storage;
  /** Aborts waiting for the proof. */
  readonly signal: AbortSignal;
}

/**
 * Issues certificates with the REST API of ZeroSSL, not with its ACME service.
 *
 * | Status at ZeroSSL | Meaning | Next step |
 * |---|---|---|
 * | `draft` | the order exists, but its name is not proved | the proof is published, then `verify` |
 * | `pending_validation` | ZeroSSL checks the proof | polled every five seconds |
 * | `issued` | the certificate can be fetched | `download` |
 * | any other | the order is refused | `cancel` |
 */
export class ZerosslIssuer implements CertificateIssuer {
  readonly key = "zerossl";
  readonly local = false;
  readonly #parts: ZerosslParts;
  /** Connections to ZeroSSL; made for the first order, closed with the issuer. */
  #dispatcher: Promise<Dispatcher> | undefined;

  constructor(parts: ZerosslParts) {
    this.#parts = parts;
  }

  /**
   * Obtains a certificate. @throws ServerError ACME; a failed order is cancelled, because ZeroSSL counts open orders
   */
  async issue(request: IssueRequest): Promise<IssuedCertificate> {
    const { name, key, storage } = request;
    const { config, base, log } = this.#parts;
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    this.#dispatcher ??= openDispatcher([], undefined);
    const client = new ZerosslClient(base, config.api_key, await this.#dispatcher);
    const { makeRequest } = await import("../../../material/x509.ts"); // loaded on first use
    const der = (await makeRequest([name], key)).toString("base64");
    const csr = `-----BEGIN CERTIFICATE REQUEST-----\n${der.replace(/.{64}/g, "$&\n").trimEnd()}\n-----END CERTIFICATE REQUEST-----\n`;
    const { id, validation } = await client.create(name, csr, config.validity_days ?? undefined, signal);
    try {
      const how = validation?.other_methods?.[name];
      if (how === undefined) {
        throw new ServerError("ACME", `${name}: the authority offers no way to prove it`);
      }
      await this.#prove(client, { id, name, validation: how, storage, signal });
      return { chainPem: await client.download(id, signal), data: { id } };
    } catch (error) {
      await client
        .cancel(id, AbortSignal.timeout(cancelTimeoutMs))
        .catch((fault: unknown) => log.warn(`${name}: order ${id} stays: ${messageOf(fault)}`));
      throw error;
    }
  }

  /** Finds the file of another instance's order in the storage. */
  answerChallenge(question: ChallengeQuestion): Promise<string | undefined> {
    return question.type === "pki-validation" && this.#parts.dns === undefined
      ? findSharedFile(this.key, question)
      : Promise.resolve(undefined);
  }

  async close(): Promise<void> {
    await (await this.#dispatcher)?.destroy();
  }

  /**
   * Publishes the proof, and waits for ZeroSSL's decision. At the end, the proof is removed, after success and
   * failure. @throws ServerError ACME
   */
  async #prove(client: ZerosslClient, { id, name, validation, storage, signal }: Proof): Promise<void> {
    const { dns, pollMs: pauseMs } = this.#parts;
    const undo: (() => unknown)[] = [];
    try {
      await (dns === undefined
        ? this.#showFile(name, validation, storage, undo)
        : this.#showRecord(dns, validation, undo, signal));
      let { status } = await client.verify(
        id,
        dns === undefined ? "HTTP_CSR_HASH" : "CNAME_CSR_HASH",
        signal,
      );
      while (status === "pending_validation") {
        await wait(pauseMs, undefined, { signal });
        ({ status } = await client.certificate(id, signal));
      }
      if (status !== "issued") {
        throw new ServerError("ACME", `${name}: zerossl: the certificate is ${status}`);
      }
    } finally {
      await Promise.allSettled(undo.map(async (each) => each()));
    }
  }

  /**
   * Publishes a file at `/.well-known/pki-validation/`: in this process, in instances that share the storage, and on a
   * separate port. @param undo collects functions that remove the file
   */
  async #showFile(
    name: string,
    validation: Validation,
    storage: Storage,
    undo: (() => unknown)[],
  ): Promise<void> {
    const { board, config } = this.#parts;
    const url = validation.file_validation_url_http;
    const file = challengeTokenOf(URL.parse(url)?.pathname ?? "");
    const content = validation.file_validation_content.join("\n");
    if (file === "" || content === "") {
      throw new ServerError("ACME", `${name}: zerossl: no file that can be shown`);
    }
    undo.push(board.pinToken(file, name, content));
    undo.push(await shareFile(storage, this.key, { url, name, content }));
    const listener = await listenForTokens(board, config.alternate_http_port || 80, config.listen_host ?? "");
    undo.push(() => listener?.close());
  }

  /** Sets the CNAME record, and waits until name servers return it. @param undo collects functions that remove it */
  async #showRecord(
    dns: DnsProvider,
    validation: Validation,
    undo: (() => unknown)[],
    signal: AbortSignal,
  ): Promise<void> {
    const { cname_validation: config } = this.#parts.config;
    const record = config?.override_domain || validation.cname_validation_p1;
    const target = validation.cname_validation_p2;
    if (record === "" || target === "") {
      throw new ServerError("ACME", "zerossl: no record that can be shown");
    }
    await dns.present(record, target, Math.round((config?.ttl || defaultTtlMs) / 1000), "CNAME");
    undo.push(() => dns.remove(record, target, "CNAME"));
    await wait(config?.propagation_delay ?? 0, undefined, { signal });
    if (config?.propagation_timeout !== -1) {
      await this.#waitForRecord(record, target, config?.propagation_timeout ?? defaultPropagationMs, signal);
    }
  }

  /** Waits until the record is visible. A record that does not appear is only logged, because ZeroSSL decides. */
  async #waitForRecord(record: string, target: string, limitMs: number, signal: AbortSignal): Promise<void> {
    const own = this.#parts.config.cname_validation?.resolvers ?? [];
    const servers = own.length > 0 ? own : await this.#parts.resolvers();
    const resolver = new Resolver();
    if (servers.length > 0) {
      resolver.setServers([...servers]);
    }
    for (const end = Date.now() + limitMs; ; ) {
      const found = await resolver.resolveCname(record).catch(() => []);
      if (found.some((each) => each.toLowerCase() === target.toLowerCase())) {
        return;
      }
      if (Date.now() >= end) {
        // The record is not required here, because ZeroSSL may ask other name servers, which may already return it.
        this.#parts.log.warn(`zerossl: record ${record} did not appear within ${limitMs / 1000} s`);
        return;
      }
      await wait(lookupPauseMs, undefined, { signal });
    }
  }
}

export const zerosslIssuer = defineModule({
  id: "tls.issuance.zerossl",
  config: zerosslSchema,
  async provision(config, context): Promise<CertificateIssuer> {
    const { provider } = config.cname_validation ?? {};
    const dns = provider
      ? await context.loadInline(dnsProviders, "name", provider as JsonValue, "cname_validation/provider")
      : undefined;
    const key = replaceAll(config.api_key);
    if (key === "") {
      throw new ServerError("MODULE_CONFIG", "api_key is empty: is the variable set, the file there?");
    }
    const board = await context.acquire(challengeBoards, "", () => new ChallengeBoard());
    const resolvers = async () =>
      (await context.messages.askMain(certificateTopics.resolvers, null)) as readonly string[];
    return new ZerosslIssuer({
      config: { ...config, api_key: key },
      board: board.value,
      log: context.log,
      dns,
      resolvers,
      base: authority,
      pollMs,
    });
  },
});
