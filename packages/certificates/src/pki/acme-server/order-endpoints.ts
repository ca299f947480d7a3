import { randomBytes, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { calculateJwkThumbprint, exportJWK, type JWK } from "jose";
import { parseCertificates } from "../../material/pem.ts";
import { type AcmeCall, callerOf, notFound, reply } from "./acme-call.ts";
import {
  type AcmeReply,
  type AcmeServerSettings,
  type ChallengeType,
  finalizeSchema,
  newOrderSchema,
  readPayload,
} from "./acme-messages.ts";
import { AcmeProblem } from "./acme-problem.ts";
import type { Authorization, Order } from "./acme-records.ts";
import { makeId } from "./acme-store.ts";
import { canonicalName, readCertificateRequest } from "./certificate-request.ts";
import { policyFault } from "./name-policy.ts";

/** Maximum time from `new-order` to `finalize`, in milliseconds: a day. Afterwards the order is expired. */
const orderLifetimeMs = 24 * 3_600_000;
/** Shortest life of a certificate: five minutes. */
const minLifetimeMs = 5 * 60_000;
/** Longest lifetime of a certificate: a year. Source: Caddy 2.11 */
const maxLifetimeMs = 365 * 24 * 3_600_000;
/** Length limit of DNS names as text. Source: RFC 1035, section 2.3.4 */
const maxNameLength = 253;

/** Challenges by which a name can be proved. Source: RFC 8555, section 7.1.3 (wildcards), RFC 8738, section 7 (addresses) */
function challengesFor(name: string, { challenges }: AcmeServerSettings): ChallengeType[] {
  return challenges.filter((type) =>
    name.startsWith("*.") ? type === "dns-01" : isIP(name) === 0 || type !== "dns-01",
  );
}

/** @returns the name in its canonical form. @throws AcmeProblem unsupportedIdentifier, malformed, rejectedIdentifier */
function checkIdentifier(
  { type, value }: { type: string; value: string },
  settings: AcmeServerSettings,
): string {
  if (type !== "dns" && type !== "ip") {
    throw new AcmeProblem("unsupportedIdentifier", `identifiers of type ${type}: dns and ip are supported`);
  }
  // Labels of 1 to 63 characters; underscores are allowed, because names of services contain them. Only the first label
  // may be `*`.
  const isName =
    /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;
  if (
    (type === "ip") !== (isIP(value) !== 0) ||
    (type === "dns" && !isName.test(value)) ||
    value.length > maxNameLength
  ) {
    throw new AcmeProblem(
      "malformed",
      `${JSON.stringify(value.slice(0, maxNameLength))} is no identifier of type ${type}`,
    );
  }
  const name = canonicalName(value);
  const fault = policyFault(settings.policy, name);
  if (fault !== undefined) {
    throw new AcmeProblem("rejectedIdentifier", fault);
  }
  if (challengesFor(name, settings).length === 0) {
    throw new AcmeProblem("rejectedIdentifier", `${name}: no challenge is enabled that could prove it`);
  }
  return name;
}

/**
 * Checks the validity that an order requests. `notBefore` may be up to a year ago and up to a day ahead.
 * @throws AcmeProblem malformed
 */
function checkDates(notBefore: string | undefined, notAfter: string | undefined): void {
  const now = Date.now();
  const from = notBefore === undefined ? now : Date.parse(notBefore);
  const to = notAfter === undefined ? undefined : Date.parse(notAfter);
  if (from < now - maxLifetimeMs || from > now + orderLifetimeMs) {
    throw new AcmeProblem("malformed", `notBefore ${notBefore} is too far away`);
  }
  if (
    to !== undefined &&
    (to - from < minLifetimeMs || to - from > maxLifetimeMs || to < now + minLifetimeMs)
  ) {
    throw new AcmeProblem("malformed", `notAfter ${notAfter}: a certificate lives 5 minutes to 365 days`);
  }
}

/** A pending authorization with all challenges that the config enables and that can prove the name. */
function makeAuthorization(name: string, settings: AcmeServerSettings): Authorization {
  const type = isIP(name) === 0 ? "dns" : "ip";
  return {
    status: "pending",
    identifier: { type, value: name.replace(/^\*\./, "") },
    wildcard: name.startsWith("*."),
    challenges: challengesFor(name, settings).map((challenge) => ({
      type: challenge,
      token: randomBytes(32).toString("base64url"),
      status: "pending",
    })),
  };
}

/** The name as the client requested it. */
export function nameOf({ identifier, wildcard }: Authorization): string {
  return wildcard ? `*.${identifier.value}` : identifier.value;
}

/** True when the order has expired, or, for a valid order, when its certificate has expired. */
function isOver(order: Order): boolean {
  return Date.parse(order.expires) <= Date.now();
}

/** An order in the form that clients see. */
function describe(base: string, order: Order): object {
  const { id, expires, notBefore, notAfter, authorizations, error, certificate } = order;
  return {
    status: isOver(order) && order.status !== "valid" ? "invalid" : order.status,
    expires,
    identifiers: authorizations.map((each) => ({ type: each.identifier.type, value: nameOf(each) })),
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(notAfter === undefined ? {} : { notAfter }),
    authorizations: authorizations.map((_, position) => `${base}/authz/${id}/${position}`),
    finalize: `${base}/order/${id}/finalize`,
    ...(certificate === undefined ? {} : { certificate: `${base}/certificate/${id}` }),
    ...(error === undefined ? {} : { error }),
  };
}

/** An answer with the order, and with its URL in `Location`. */
function answer({ base }: AcmeCall, order: Order, status: number): AcmeReply {
  return reply(status, describe(base, order), ["Location", `${base}/order/${order.id}`]);
}

/** The order that a path names. The order must belong to the account of the call. @throws AcmeProblem */
export async function orderOf(call: AcmeCall): Promise<Order> {
  return (await call.store.order(callerOf(call).id, call.rest[0] ?? "")) ?? notFound("order");
}

/** Creates an order. Source: RFC 8555, section 7.4 */
export async function newOrder(call: AcmeCall): Promise<AcmeReply> {
  const { settings, store } = call;
  const { identifiers, notBefore, notAfter } = readPayload(newOrderSchema, call.payload);
  const names = [...new Set(identifiers.map((each) => checkIdentifier(each, settings)))];
  checkDates(notBefore, notAfter);
  const order: Order = {
    id: makeId(),
    accountId: callerOf(call).id,
    status: "pending",
    expires: new Date(Date.now() + orderLifetimeMs).toISOString(),
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(notAfter === undefined ? {} : { notAfter }),
    authorizations: names.map((name) => makeAuthorization(name, settings)),
  };
  await store.addOrder(order);
  return answer(call, order, 201);
}

/** Reads an order, or finalizes it. Source: RFC 8555, section 7.4 */
export async function order(call: AcmeCall): Promise<AcmeReply> {
  const [id = "", action, ...more] = call.rest;
  if (more.length > 0 || (action ?? "finalize") !== "finalize") {
    notFound("resource");
  }
  if (action === undefined) {
    return answer(call, await orderOf(call), 200);
  }
  const { csr } = readPayload(finalizeSchema, call.payload);
  const request = await readCertificateRequest(Buffer.from(csr, "base64url"));
  return call.queue.run(id, async () => {
    const found = await orderOf(call);
    if (found.status !== "ready" || isOver(found)) {
      throw new AcmeProblem("orderNotReady", `the order is ${isOver(found) ? "over" : found.status}`);
    }
    const names = found.authorizations.map(nameOf).sort();
    if (names.join() !== request.names.join()) {
      throw new AcmeProblem(
        "badCSR",
        `the request is for ${request.names.join(", ").slice(0, 500) || "nobody"}, the order for ${names.join(", ").slice(0, 500)}`,
      );
    }
    // RFC 8555, section 11.1: the certificate must not have the key of an account.
    const key = await exportJWK(request.publicKey);
    if ((await calculateJwkThumbprint(key)) === (await calculateJwkThumbprint(call.key as JWK))) {
      throw new AcmeProblem("badCSR", "the key is that of the account");
    }
    return answer(call, await issue(call, found, names, request.publicKey), 200);
  });
}

/**
 * Issues the certificate of a `ready` order. The certificate is stored before the order becomes `valid`. After a crash
 * between the two writes, the client can finalize the order again.
 * @throws AcmeProblem rejectedIdentifier; ServerError CERTIFICATE, STORAGE
 */
async function issue(
  call: AcmeCall,
  order: Order,
  names: readonly string[],
  publicKey: X509Certificate["publicKey"],
): Promise<Order> {
  const { settings, authority, store } = call;
  // The policy may have changed since the order was created.
  for (const name of names) {
    const fault = policyFault(settings.policy, name);
    if (fault !== undefined) {
      throw new AcmeProblem("rejectedIdentifier", fault);
    }
  }
  const from = order.notBefore === undefined ? undefined : Date.parse(order.notBefore);
  const to = order.notAfter === undefined ? undefined : Date.parse(order.notAfter);
  const pem = await authority.issue({
    names,
    publicKey,
    lifetimeMs: to === undefined ? settings.lifetimeMs : to - (from ?? Date.now()),
    signWithRoot: settings.signWithRoot,
    ...(from === undefined ? {} : { notBeforeMs: from }),
  });
  const [leaf = new X509Certificate(pem)] = parseCertificates(pem, "issued");
  const expires = leaf.validToDate.toISOString();
  await store.saveCertificate(leaf.serialNumber.toLowerCase(), {
    accountId: order.accountId,
    names: [...names],
    certificate: leaf.toString(),
    expires,
  });
  const done: Order = { ...order, status: "valid", certificate: pem, expires };
  await store.saveOrder(done);
  call.log.info(
    `acme_server: issued ${names.join(", ").slice(0, 500)} by ${settings.ca}, good until ${expires}`,
  );
  return done;
}

/** The certificate of an order. Source: RFC 8555, section 7.4.2 */
export async function certificate(call: AcmeCall): Promise<AcmeReply> {
  const { certificate: pem } = await orderOf(call);
  return {
    status: 200,
    headers: ["Content-Type", "application/pem-certificate-chain"],
    body: pem ?? notFound("certificate"),
  };
}
