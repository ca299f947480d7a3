import { calculateJwkThumbprint, type JWK } from "jose";
import { type AcmeCall, callerOf, notFound, reply } from "./acme-call.ts";
import {
  type AcmeReply,
  keyChangeSchema,
  newAccountSchema,
  readPayload,
  updateAccountSchema,
} from "./acme-messages.ts";
import { AcmeProblem } from "./acme-problem.ts";
import type { Account } from "./acme-records.ts";
import { makeId } from "./acme-store.ts";
import { readMessage, verifyMessage } from "./signed-message.ts";

/** URL of an account; it identifies the account in messages. */
export function accountUrl(base: string, id: string): string {
  return `${base}/account/${id}`;
}

/** The account object that clients get. Source: RFC 8555, section 7.1.2 */
function describe({ base }: AcmeCall, { id, status, contact }: Account): object {
  return { status, contact, orders: `${accountUrl(base, id)}/orders` };
}

/** Returns an account, with its URL in `Location`. @param status 201 for a new account, 200 for a known one */
function answer(call: AcmeCall, account: Account, status: number): AcmeReply {
  return reply(status, describe(call, account), ["Location", accountUrl(call.base, account.id)]);
}

/**
 * Checks the contact addresses of the client. The addresses are only stored; the server sends no mail.
 * @throws AcmeProblem unsupportedContact without `mailto:`; invalidContact for several addresses in one contact, or for
 * mail headers in it
 */
function checkContacts(contacts: readonly string[]): void {
  for (const contact of contacts) {
    if (!contact.startsWith("mailto:")) {
      throw new AcmeProblem("unsupportedContact", `${contact.slice(0, 50)}: only mailto: is supported`);
    }
    if (!/^mailto:[^\s@,?]+@[^\s@,?]+$/.test(contact)) {
      throw new AcmeProblem("invalidContact", `${contact.slice(0, 50)}: one plain address is expected`);
    }
  }
}

/** Makes an account, or finds it by its key. Source: RFC 8555, section 7.3 */
export async function newAccount(call: AcmeCall): Promise<AcmeReply> {
  const { contact = [], onlyReturnExisting } = readPayload(newAccountSchema, call.payload);
  checkContacts(contact);
  const { key, store } = call;
  // Two concurrent requests with the same new key must not make two accounts.
  return call.queue.run(`key ${await calculateJwkThumbprint(key)}`, async () => {
    const known = await store.accountOfKey(key);
    if (known?.status === "deactivated") {
      throw new AcmeProblem("unauthorized", "the account is deactivated");
    }
    if (known !== undefined) {
      return answer(call, known, 200);
    }
    if (onlyReturnExisting === true) {
      throw new AcmeProblem("accountDoesNotExist", "no account has this key");
    }
    const createdAt = new Date().toISOString();
    const account: Account = { id: makeId(), status: "valid", key: { ...key }, contact, createdAt };
    await store.addAccount(account);
    return answer(call, account, 201);
  });
}

/** Reads or changes an account, or lists its orders. Source: RFC 8555, sections 7.1.2.1, 7.3.2, 7.3.6 */
export async function account(call: AcmeCall): Promise<AcmeReply> {
  const caller = callerOf(call);
  const [id, part, ...more] = call.rest;
  if (more.length > 0 || (part ?? "orders") !== "orders") {
    notFound("resource");
  }
  if (id !== caller.id) {
    throw new AcmeProblem("unauthorized", "another account");
  }
  if (part === "orders") {
    const ids = await call.store.orderIds(id);
    return reply(200, { orders: ids.map((each) => `${call.base}/order/${each}`) });
  }
  if (call.payload.length === 0) {
    return answer(call, caller, 200);
  }
  const { contact, status } = readPayload(updateAccountSchema, call.payload);
  checkContacts(contact ?? []);
  // While a `deactivated` account is stored, its key cannot open a new account.
  const changed = { ...caller, contact: contact ?? caller.contact, status: status ?? caller.status };
  await call.store.saveAccount(changed);
  return answer(call, changed, 200);
}

/**
 * Replaces the key of an account. The request is a message signed with the new key, inside a message signed with the
 * old key. Source: RFC 8555, section 7.3.5
 */
export async function keyChange(call: AcmeCall): Promise<AcmeReply> {
  const caller = callerOf(call);
  const inner = readMessage(call.payload);
  const { jwk, url, nonce, kid } = inner.header;
  if (jwk === undefined || kid !== undefined || nonce !== undefined || url !== call.url) {
    throw new AcmeProblem(
      "malformed",
      "inner message: jwk and the same url are expected, no kid and no nonce",
    );
  }
  const key: JWK = jwk;
  const payload = await verifyMessage(inner, key);
  const { account: accountName, oldKey } = readPayload(keyChangeSchema, payload);
  // The inner message must also contain the old key, which proves that the client means this account.
  const [old, named] = await Promise.all([
    calculateJwkThumbprint(caller.key as JWK),
    calculateJwkThumbprint(oldKey as JWK).catch(() => ""),
  ]);
  if (accountName !== accountUrl(call.base, caller.id) || old !== named) {
    throw new AcmeProblem("malformed", "inner message: account and oldKey are not those of the message");
  }
  return call.queue.run(`key ${await calculateJwkThumbprint(key)}`, async () => {
    const other = await call.store.accountOfKey(key);
    if (other !== undefined) {
      return {
        ...reply(409, new AcmeProblem("malformed", "the key is that of an account", 409).document, [
          "Location",
          accountUrl(call.base, other.id),
        ]),
      };
    }
    await call.store.changeKey(caller, key);
    return answer(call, { ...caller, key: { ...key } }, 200);
  });
}
