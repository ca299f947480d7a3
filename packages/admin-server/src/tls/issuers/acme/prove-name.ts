import { createHash, createPublicKey, type KeyObject } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { setTimeout as wait } from "node:timers/promises";
import { Extension } from "@peculiar/x509";
import { errorWithin, ServerError } from "../../../core/errors.ts";
import { keyToPem, makeKey } from "../../../pki/key-pair.ts";
import { certificatesToPem } from "../../../pki/pem.ts";
import { makeCertificate } from "../../../pki/x509.ts";
import type { DnsProvider } from "../../dns/dns-provider.ts";
import type { AcmeClient } from "./acme-client.ts";
import { type Authorization, authorizationSchema, type Challenge, describeProblem } from "./acme-messages.ts";
import type { AcmeConfig } from "./acme-schema.ts";
import type { ChallengeBoard } from "./challenge-board.ts";
import { listenForHandshakes, listenForTokens } from "./challenge-listener.ts";
import { identifierOid, reverseName } from "./identifier-names.ts";
import { thumbprint } from "./jws.ts";

/** Kinds of challenges, in the order in which they are tried. */
export type ChallengeType = "http-01" | "tls-alpn-01" | "dns-01";

/** What proving a name needs. */
export interface ProvingTools {
  readonly client: AcmeClient;
  readonly board: ChallengeBoard;
  readonly accountKey: KeyObject;
  readonly challenges: AcmeConfig["challenges"];
  readonly dns: DnsProvider | undefined;
  /** DNS servers that records are looked for at; none: those of the system. */
  readonly resolvers: readonly string[];
  readonly signal: AbortSignal;
}

const defaultTtlMs = 120_000;
const defaultPropagationMs = 120_000;
const lookupPauseMs = 2_000;
/** Validity of the certificate that is shown as an answer. */
const challengeLifetimeMs = 3_600_000;

type Undo = () => unknown;

/** Shows what the authority wants to see. @returns takes it away */
async function answer(
  type: ChallengeType,
  name: string,
  token: string,
  tools: ProvingTools,
): Promise<Undo[]> {
  const { board, challenges } = tools;
  const authorization = `${token}.${thumbprint(tools.accountKey)}`;
  const digest = createHash("sha256").update(authorization).digest();
  const host = challenges?.bind_host ?? "";
  switch (type) {
    case "http-01": {
      const unpin = board.pinToken(token, name, authorization);
      const listener = await listenForTokens(board, challenges?.http?.alternate_port ?? 80, host);
      return [unpin, () => listener?.close()];
    }
    case "tls-alpn-01": {
      const key = await makeKey("p256");
      const now = Date.now();
      const certificate = await makeCertificate({
        commonName: "ACME challenge",
        names: [name],
        publicKey: createPublicKey(key),
        notBefore: new Date(now - challengeLifetimeMs),
        notAfter: new Date(now + challengeLifetimeMs),
        issuerKey: key,
        // An OCTET STRING of 32 bytes.
        extensions: [new Extension(identifierOid, true, Buffer.concat([Buffer.from([4, 32]), digest]))],
      });
      const unpin = board.pinCertificate(reverseName(name), {
        cert: certificatesToPem([certificate]),
        key: keyToPem(key),
      });
      const listener = await listenForHandshakes(
        board,
        challenges?.["tls-alpn"]?.alternate_port ?? 443,
        host,
      );
      return [unpin, () => listener?.close()];
    }
    case "dns-01": {
      const { dns } = tools;
      const config = challenges?.dns;
      if (dns === undefined || !config) {
        throw new ServerError("ACME", "there is no DNS provider");
      }
      const record = config.override_domain || `_acme-challenge.${name.replace(/^\*\./, "")}`;
      const value = digest.toString("base64url");
      await dns.present(record, value, Math.round((config.ttl || defaultTtlMs) / 1000));
      try {
        await wait(config.propagation_delay ?? 0, undefined, { signal: tools.signal });
        if (config.propagation_timeout !== -1) {
          const timeoutMs = config.propagation_timeout ?? defaultPropagationMs;
          await waitForRecord(record, value, tools.resolvers, timeoutMs, tools.signal);
        }
      } catch (error) {
        await dns.remove(record, value);
        throw error;
      }
      return [() => dns.remove(record, value)];
    }
  }
}

async function waitForRecord(
  record: string,
  value: string,
  servers: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
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

function faultOf(authorization: Authorization, challenge: Challenge): string {
  const failed = authorization.challenges.find(({ url }) => url === challenge.url)?.error;
  return failed === undefined ? `authorization is ${authorization.status}` : describeProblem(failed);
}

/** Proves one name to the authority. @throws ServerError ACME saying which challenge failed and why */
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
  let undo: Undo[];
  try {
    undo = await answer(type, name, challenge.token, tools);
  } catch (error) {
    throw errorWithin(`${name}: ${type}`, error);
  }
  try {
    await client.post(challenge.url, {});
    const decided = await client.poll(url, authorizationSchema, ({ status }) => status !== "pending");
    if (decided.status !== "valid") {
      throw new ServerError("ACME", `${name}: ${type}: ${faultOf(decided, challenge)}`);
    }
  } finally {
    await Promise.allSettled(undo.map(async (each) => each()));
  }
}
