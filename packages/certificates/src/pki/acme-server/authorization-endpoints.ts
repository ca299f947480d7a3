import { type AcmeCall, callerOf, notFound, reply } from "./acme-call.ts";
import { type AcmeReply, readPayload, updateAuthorizationSchema } from "./acme-messages.ts";
import { AcmeProblem } from "./acme-problem.ts";
import type { Authorization, Challenge, Order } from "./acme-records.ts";
import { orderOf } from "./order-endpoints.ts";
import { afterDecision } from "./validations.ts";

/** This limit exceeds the limit of names in an order; a larger index is always wrong. */
const maxPosition = 1_000;

/**
 * The index of an authorization within its order, from a path such as `/authz/<order>/0`. @throws AcmeProblem malformed
 * with 404
 */
function positionOf(call: AcmeCall): number {
  const position = Number(call.rest[1]);
  return Number.isInteger(position) && position >= 0 && position < maxPosition
    ? position
    : notFound("authorization");
}

function urlOf({ base, rest }: AcmeCall): string {
  return `${base}/authz/${rest[0]}/${rest[1]}`;
}

/** URL of a challenge: `<base>/challenge/<order>/<position>/http-01`. */
function challengeUrl({ base, rest }: AcmeCall, { type }: Challenge): string {
  return `${base}/challenge/${rest[0]}/${rest[1]}/${type}`;
}

/** A challenge in the form that clients receive. */
function describeChallenge(call: AcmeCall, challenge: Challenge): object {
  return { ...challenge, url: challengeUrl(call, challenge) };
}

/** An authorization in the form that clients receive. Source: RFC 8555, section 7.1.4 */
function describe(call: AcmeCall, authorization: Authorization, { expires }: Order): object {
  const { identifier, status, wildcard, challenges } = authorization;
  const over = status === "pending" && Date.parse(expires) <= Date.now();
  // After the decision, only the challenge that decided matters.
  const shown = status === "pending" ? challenges : challenges.filter((each) => each.status === status);
  return {
    identifier,
    status: over ? "expired" : status,
    expires,
    ...(wildcard ? { wildcard } : {}),
    challenges: (shown.length > 0 ? shown : challenges).map((each) => describeChallenge(call, each)),
  };
}

/**
 * Starts the check of a challenge, unless it is already running.
 * @returns false when the authorization is decided or its order has expired
 * @throws AcmeProblem rateLimited when too many checks are running
 */
function begin(call: AcmeCall, order: Order, position: number, found: Challenge): boolean {
  const caller = callerOf(call);
  const parent = order.authorizations[position];
  const place = { accountId: caller.id, orderId: order.id, position, type: found.type };
  if (parent?.status !== "pending" || Date.parse(order.expires) <= Date.now()) {
    return false;
  }
  call.validations.start({
    place,
    token: found.token,
    account: caller,
    name: parent.identifier.value,
    ways: call.settings,
  });
  return true;
}

/** Reads or deactivates an authorization. Source: RFC 8555, sections 7.5, 7.5.2 */
export async function authorization(call: AcmeCall): Promise<AcmeReply> {
  const position = positionOf(call);
  const read = async () => {
    const order = await orderOf(call);
    return { order, found: order.authorizations[position] ?? notFound("authorization") };
  };
  if (call.payload.length === 0) {
    const { order, found } = await read();
    for (const cutOff of found.challenges.filter(({ status }) => status === "processing")) {
      begin(call, order, position, cutOff);
    }
    return reply(200, describe(call, found, order), found.status === "pending" ? ["Retry-After", "1"] : []);
  }
  const { status } = readPayload(updateAuthorizationSchema, call.payload);
  return call.queue.run(call.rest[0] ?? "", async () => {
    const { order, found } = await read();
    if (found.status === "invalid") {
      throw new AcmeProblem("malformed", "the authorization is invalid already");
    }
    found.status = status;
    await call.store.saveOrder(afterDecision(order));
    return reply(200, describe(call, found, order));
  });
}

/**
 * Starts the check of a challenge, or returns its state. With an empty payload, the client only reads. Source: RFC
 * 8555, section 7.5.1
 */
export async function challenge(call: AcmeCall): Promise<AcmeReply> {
  const position = positionOf(call);
  return call.queue.run(call.rest[0] ?? "", async () => {
    const order = await orderOf(call);
    const parent = order.authorizations[position] ?? notFound("authorization");
    const found = parent.challenges.find(({ type }) => type === call.rest[2]) ?? notFound("challenge");
    // A check that was interrupted by a crash or a new config restarts with this request.
    const asked = call.payload.length > 0 || found.status === "processing";
    if (asked && begin(call, order, position, found) && found.status === "pending") {
      found.status = "processing";
      await call.store.saveOrder(order);
    }
    return reply(200, describeChallenge(call, found), [
      "Link",
      `<${urlOf(call)}>;rel="up"`,
      "Location",
      challengeUrl(call, found),
      ...(found.status === "processing" ? ["Retry-After", "1"] : []),
    ]);
  });
}
