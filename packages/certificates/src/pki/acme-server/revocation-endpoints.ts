import { X509Certificate } from "node:crypto";
import { calculateJwkThumbprint, exportJWK } from "jose";
import { renewalId } from "../../acme/renewal-id.ts";
import { type AcmeCall, type AcmeServices, notFound, reply } from "./acme-call.ts";
import { type AcmeReply, readPayload, revokeSchema } from "./acme-messages.ts";
import { AcmeProblem } from "./acme-problem.ts";
import type { IssuedCertificate } from "./acme-records.ts";
import { nameOf } from "./order-endpoints.ts";

/** Reason codes of RFC 5280, section 5.3.1, which does not use 7. */
const reasons = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10];
/** Interval in seconds after which clients should request the renewal time again, sent in `Retry-After`. */
const renewalInfoSeconds = 6 * 3600;
/** Clients are asked to renew a certificate between these fractions of its lifetime. */
const renewalWindow = [0.6, 0.7] as const;

/** True when an account has proved every name of a certificate. */
async function holdsAll({ store, account }: AcmeCall, names: readonly string[]): Promise<boolean> {
  const proved = new Set<string>();
  for (const id of account === undefined ? [] : await store.orderIds(account.id)) {
    const order = await store.order(account?.id ?? "", id);
    for (const authorization of order?.authorizations ?? []) {
      if (authorization.status === "valid") {
        proved.add(nameOf(authorization));
      }
    }
  }
  return names.every((name) => proved.has(name));
}

/**
 * True when the message is signed by the account that ordered the certificate, by an account that proved all names of
 * the certificate, or with the certificate's key.
 */
async function mayRevoke(call: AcmeCall, known: IssuedCertificate): Promise<boolean> {
  if (call.account !== undefined) {
    return call.account.id === known.accountId || (await holdsAll(call, known.names));
  }
  const { publicKey } = new X509Certificate(known.certificate);
  return (
    (await calculateJwkThumbprint(await exportJWK(publicKey))) === (await calculateJwkThumbprint(call.key))
  );
}

/** Revokes a certificate, for an authorized account or the owner of its key. Source: RFC 8555, section 7.6 */
export async function revokeCertificate(call: AcmeCall): Promise<AcmeReply> {
  const { certificate, reason = 0 } = readPayload(revokeSchema, call.payload);
  let given: X509Certificate;
  try {
    given = new X509Certificate(Buffer.from(certificate, "base64url"));
  } catch {
    throw new AcmeProblem("malformed", "certificate: not DER in base64url");
  }
  const serial = given.serialNumber.toLowerCase();
  return call.queue.run(`certificate ${serial}`, async () => {
    const known = await call.store.certificate(serial);
    if (known === undefined || !new X509Certificate(known.certificate).raw.equals(given.raw)) {
      notFound("certificate");
    }
    if (!(await mayRevoke(call, known))) {
      throw new AcmeProblem("unauthorized", "the certificate is another one's");
    }
    if (known.revoked !== undefined) {
      throw new AcmeProblem("alreadyRevoked", `revoked at ${known.revoked.at}`);
    }
    if (!reasons.includes(reason)) {
      throw new AcmeProblem("badRevocationReason", `reason ${reason}, known are ${reasons.join(", ")}`);
    }
    await call.store.saveCertificate(serial, { ...known, revoked: { at: new Date().toISOString(), reason } });
    call.log.info(`acme_server: revoked ${known.names.join(", ").slice(0, 500)}, reason ${reason}`);
    return { status: 200, headers: [], body: "" };
  });
}

/**
 * The period in which a certificate should be renewed. For a revoked certificate the period is already over, so clients
 * renew immediately. Source: RFC 9773, section 4
 */
export async function renewalInfo({ store }: AcmeServices, id: string): Promise<AcmeReply> {
  const [, serial = ""] = id.split(".");
  const digits = Buffer.from(serial, "base64url").toString("hex").replace(/^00/, "");
  const known = await store.certificate(digits);
  const certificate = known === undefined ? undefined : new X509Certificate(known.certificate);
  if (certificate === undefined || renewalId(certificate) !== id) {
    notFound("certificate");
  }
  const [from, to] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  const [start, end] =
    known?.revoked === undefined
      ? renewalWindow.map((part) => from + (to - from) * part)
      : [from, from + 1000];
  const suggestedWindow = {
    start: new Date(start ?? from).toISOString(),
    end: new Date(end ?? to).toISOString(),
  };
  return reply(200, { suggestedWindow }, ["Retry-After", String(renewalInfoSeconds)]);
}
