import { createHash, type KeyObject } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { setTimeout as wait } from "node:timers/promises";
import { errorWithin, ServerError } from "server-core/errors";
import { reverseName } from "../../../acme/identifier-names.ts";
import type { DnsProvider } from "../../dns/dns-provider.ts";
import type { AcmeClient } from "./acme-client.ts";
import { type Authorization, authorizationSchema, type Challenge, describeProblem } from "./acme-messages.ts";
import type { AcmeConfig } from "./acme-schema.ts";
import type { ChallengeBoard } from "./challenge-board.ts";
import { listenForHandshakes, listenForTokens } from "./challenge-listener.ts";
import { thumbprint } from "./jws.ts";
import type { StartedChallenge } from "./shared-challenge.ts";

/** Kinds of challenges, in the order in which they are tried. */
export type ChallengeType = "http-01" | "tls-alpn-01" | "dns-01";

/** The services needed to prove a name. */
export interface ProvingTools {
  /** Signs requests with the account's key. */
  readonly client: AcmeClient;
  /** Answers of this process to HTTP and TLS challenges; the servers of this process read them. */
  readonly board: ChallengeBoard;
  /**
   * Publishes the answer for other instances; undefined: only this process answers. @returns a function that removes it
   */
  readonly share: ((challenge: StartedChallenge) => Promise<() => Promise<void>>) | undefined;
  /**
   * Private key of the ACME account. Its thumbprint is part of every answer. Source: RFC 8555, section 8.1
   */
  readonly accountKey: KeyObject;
  /** Ports, addresses and DNS settings of the issuer's config. */
  readonly challenges: AcmeConfig["challenges"];
  /** Sets TXT records; undefined: `dns-01` fails. */
  readonly dns: DnsProvider | undefined;
  /** DNS servers that are asked for the record; empty: the servers of the system. */
  readonly resolvers: readonly string[];
  /** Aborts the wait for a DNS record. */
  readonly signal: AbortSignal;
}

const defaultTtlMs = 120_000;
/** Default time in milliseconds until the record must be visible, else the attempt fails. */
const defaultPropagationMs = 120_000;
/** Pause in milliseconds between two DNS lookups. */
const lookupPauseMs = 2_000;

/** Removes one published answer; undefined without such an answer. */
type Undo = (() => unknown) | undefined;

/** A challenge that the authority offers. */
interface Started {
  /** URL of the challenge. A POST to it starts the authority's check. */
  readonly url: string;
  /** Random text from the authority, which is part of the answer. */
  readonly token: string;
}

/** A challenge, and the services for its answer. */
interface ChallengeAnswer {
  readonly type: ChallengeType;
  /** The name to prove, as the authority wrote it in its authorization. */
  readonly name: string;
  readonly challenge: Started;
  readonly tools: ProvingTools;
  /** Collects functions that remove published answers, even when a later step fails. */
  readonly undo: Undo[];
}

/**
 * Publishes the answer that the authority expects. After a failure, `undo` removes the parts that were published.
 *
 * | Type | Published proof | Place |
 * |---|---|---|
 * | `http-01` | the key authorization | a path below `/.well-known/`, over HTTP |
 * | `tls-alpn-01` | a certificate with a digest of the key authorization | a handshake for `acme-tls/1` |
 * | `dns-01` | a digest of the key authorization | a TXT record |
 *
 * @throws ServerError ACME, STORAGE; errors of listening on the port
 */
async function answer({ type, name, challenge, tools, undo }: ChallengeAnswer): Promise<void> {
  const { board, challenges } = tools;
  const { url, token } = challenge;
  const keyAuthorization = `${token}.${thumbprint(tools.accountKey)}`;
  const host = challenges?.bind_host ?? "";
  switch (type) {
    case "http-01": {
      undo.push(board.pinToken(token, name, keyAuthorization));
      undo.push(await tools.share?.({ type, url, name, token, keyAuthorization }));
      const listener = await listenForTokens(board, challenges?.http?.alternate_port ?? 80, host);
      undo.push(() => listener?.close());
      break;
    }
    case "tls-alpn-01": {
      const { makeChallengeCertificate } = await import("./challenge-certificate.ts");
      const certificate = await makeChallengeCertificate(name, keyAuthorization);
      undo.push(board.pinCertificate(reverseName(name), certificate));
      undo.push(await tools.share?.({ type, url, name, token, keyAuthorization }));
      const port = challenges?.["tls-alpn"]?.alternate_port ?? 443;
      const listener = await listenForHandshakes(board, port, host);
      undo.push(() => listener?.close());
      break;
    }
    case "dns-01": {
      const { dns } = tools;
      const config = challenges?.dns;
      if (dns === undefined || !config) {
        throw new ServerError("ACME", "there is no DNS provider");
      }
      const record = config.override_domain || `_acme-challenge.${name.replace(/^\*\./, "")}`;
      const value = createHash("sha256").update(keyAuthorization).digest("base64url");
      await dns.present(record, value, Math.round((config.ttl || defaultTtlMs) / 1000));
      undo.push(() => dns.remove(record, value));
      await wait(config.propagation_delay ?? 0, undefined, { signal: tools.signal });
      if (config.propagation_timeout !== -1) {
        const timeoutMs = config.propagation_timeout ?? defaultPropagationMs;
        await waitForRecord({ record, value, servers: tools.resolvers, timeoutMs, signal: tools.signal });
      }
    }
  }
}

/** The TXT record that name servers must return before the CA checks it. */
interface AwaitedRecord {
  /** Full name of the record: `_acme-challenge.example.com`. */
  readonly record: string;
  /** Expected text of one value of the record. */
  readonly value: string;
  /** Addresses of DNS servers; an empty list means the servers of the system. */
  readonly servers: readonly string[];
  /**
   * Time limit in milliseconds for the lookups, which happen every two seconds. The last lookup may start up to one
   * pause later.
   */
  readonly timeoutMs: number;
  /** Aborts the pause between two lookups. */
  readonly signal: AbortSignal;
}

/**
 * Asks name servers until one returns the record. @throws ServerError ACME after `timeoutMs`; the reason of `signal`
 */
async function waitForRecord({ record, value, servers, timeoutMs, signal }: AwaitedRecord): Promise<void> {
  const resolver = new Resolver();
  if (servers.length > 0) {
    resolver.setServers([...servers]);
  }
  for (const end = Date.now() + timeoutMs; ; ) {
    const found = await resolver.resolveTxt(record).catch(() => []);
    if (found.some((parts) => parts.join("") === value)) {
      return;
    }
    if (Date.now() >= end) {
      throw new ServerError("ACME", `record ${record} did not appear within ${timeoutMs / 1000} s`);
    }
    await wait(lookupPauseMs, undefined, { signal });
  }
}

/** The CA's reason for refusing a challenge; without a reason, the state of the authorization. */
function faultOf(authorization: Authorization, challenge: Challenge): string {
  const failed = authorization.challenges.find(({ url }) => url === challenge.url)?.error;
  return failed === undefined ? `authorization is ${authorization.status}` : describeProblem(failed);
}

/**
 * Proves one name to the authority. At the end, all published answers are removed, after success and failure.
 * @param url authorization of the name
 * @throws ServerError ACME with the failed challenge and the reason
 */
export async function proveName(url: string, type: ChallengeType, tools: ProvingTools): Promise<void> {
  const { client } = tools;
  const authorization = await client.authorization(url);
  if (authorization.status === "valid") {
    return;
  }
  const name = authorization.identifier.value;
  const challenge = authorization.challenges.find((each) => each.type === type);
  if (challenge?.token === undefined) {
    throw new ServerError("ACME", `${name}: the authority offers no ${type}`);
  }
  const undo: Undo[] = [];
  try {
    await answer({
      type,
      name,
      challenge: { url: challenge.url, token: challenge.token },
      tools,
      undo,
    }).catch((error) => {
      throw errorWithin(`${name}: ${type}`, error);
    });
    await client.post(challenge.url, {});
    const decided = await client.poll(url, authorizationSchema, ({ status }) => status !== "pending");
    if (decided.status !== "valid") {
      throw new ServerError("ACME", `${name}: ${type}: ${faultOf(decided, challenge)}`);
    }
  } finally {
    await Promise.allSettled(undo.map(async (each) => each?.()));
  }
}
