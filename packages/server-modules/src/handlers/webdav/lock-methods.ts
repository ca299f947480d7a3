import { randomUUID } from "node:crypto";
import type { Exchange } from "http-engine/exchange";
import { clientGroup } from "../../passwords/client-group.ts";
import { type Conditions, lockedError, userOf } from "./conditions.ts";
import { DavError } from "./dav-error.ts";
import { type DavElement, dav, davChildren, readXmlBody, writeContent } from "./dav-xml.ts";
import { covers, type DavLock, type LockTable, maxLocksOfHolder, mayHold } from "./lock-table.ts";
import { writeLock } from "./properties.ts";
import { depthOf } from "./propfind.ts";
import { isWithin, type Resource } from "./share.ts";
import { makeEmptyFile } from "./write-files.ts";

/** Maximum lock timeout in seconds. The maximum also replaces `Timeout: Infinite`. */
const longestS = 24 * 60 * 60;
/** Maximum number of characters of the owner's XML, because every response about the lock repeats it. */
const maxOwnerLength = 1024;

/** The first valid timeout in the list, in seconds; at most the maximum. @throws DavError 400 */
function timeoutOf(exchange: Exchange): number {
  const text = exchange.header("timeout").trim();
  if (text === "") {
    return longestS;
  }
  for (const each of text.split(",").map((part) => part.trim())) {
    if (each.toLowerCase() === "infinite") {
      return longestS;
    }
    const [, digits] = /^second-(\d{1,15})$/i.exec(each) ?? [];
    if (digits !== undefined) {
      return Math.min(longestS, Math.max(1, Number(digits)));
    }
  }
  throw new DavError(400, "invalid Timeout: it is Infinite or Second-<number>");
}

/** @returns the owner's XML. @throws DavError 400, or 501 for locks that are not exclusive write locks */
function ownerOf(body: DavElement): string {
  if (body.space !== dav || body.name !== "lockinfo") {
    throw new DavError(400, "the body is no lockinfo");
  }
  const has = (outer: string, inner: string) =>
    davChildren(body, outer).some((each) => davChildren(each, inner).length > 0);
  if (!has("lockscope", "exclusive") || has("lockscope", "shared") || !has("locktype", "write")) {
    throw new DavError(501, "locks are exclusive write locks only");
  }
  const [owner] = davChildren(body, "owner");
  const text = owner === undefined ? "" : writeContent(owner);
  if (text.length > maxOwnerLength) {
    throw new DavError(400, `owner is longer than the limit of ${maxOwnerLength} characters`);
  }
  return text;
}

/** Sends the created or refreshed lock. */
function answer(exchange: Exchange, status: number, lock: DavLock): void {
  exchange.responseHeaders.push("Content-Type", "application/xml; charset=utf-8");
  exchange.respond(
    status,
    `<?xml version="1.0" encoding="utf-8"?>\n<D:prop xmlns:D="DAV:"><D:lockdiscovery>${writeLock(lock, true, Date.now())}</D:lockdiscovery></D:prop>`,
  );
}

/** Restarts the timeout of a lock. @throws DavError 412 for an unknown lock */
function refresh(exchange: Exchange, resource: Resource, conditions: Conditions, table: LockTable): void {
  const timeoutS = timeoutOf(exchange);
  let refreshed: DavLock | undefined;
  table.change((locks) => {
    const found = locks.find((lock) => covers(lock, resource.file) && conditions.owns(lock));
    if (found === undefined) {
      return locks;
    }
    refreshed = { ...found, timeoutS, expiresMs: Date.now() + timeoutS * 1000 };
    return locks.map((lock) => (lock === found && refreshed !== undefined ? refreshed : lock));
  });
  if (refreshed === undefined) {
    throw new DavError(412, "If names no lock of yours", "<D:lock-token-matches-request-uri/>");
  }
  answer(exchange, 200, refreshed);
}

/** Adds a lock. @throws DavError 423 for a conflicting lock, 507 when the table or the share of its holder is full */
function add(table: LockTable, lock: DavLock): void {
  let conflicts: readonly DavLock[] = [];
  let isWithinShare = true;
  const hasRoom = table.change((locks) => {
    conflicts = locks.filter(
      (each) => covers(each, lock.file) || (lock.isDeep && isWithin(each.file, lock.file)),
    );
    isWithinShare = mayHold(locks, lock);
    return conflicts.length > 0 || !isWithinShare ? locks : [...locks, lock];
  });
  if (conflicts.length > 0) {
    throw lockedError("no-conflicting-lock", conflicts);
  }
  if (!isWithinShare) {
    throw new DavError(507, `there are too many locks of yours: one client has at most ${maxLocksOfHolder}`);
  }
  if (!hasRoom) {
    throw new DavError(507, "there are too many locks");
  }
}

function removeToken(table: LockTable, token: string): void {
  table.change((locks) => locks.filter((each) => each.token !== token));
}

/** The user, or without a user, the client's network. The prefixes `u:` and `c:` keep users and networks apart. */
function holderOf(exchange: Exchange): string {
  const user = userOf(exchange);
  return user === "" ? `c:${clientGroup(exchange.clientAddress)}` : `u:${user}`;
}

/**
 * Locks a resource, or refreshes a lock. A missing file is created.
 * | Body | Resource | Answer |
 * |---|---|---|
 * | none | locked by this user, and the lock is named in `If` | 200, refreshed |
 * | `lockinfo` | a file or folder | 200, locked |
 * | `lockinfo` | missing | 201, an empty file is created and locked |
 * | `lockinfo` | conflicts with a lock | 423 |
 * Source: RFC 4918, section 9.10
 */
export async function lock(
  exchange: Exchange,
  resource: Resource,
  conditions: Conditions,
  table: LockTable,
): Promise<void> {
  const body = await readXmlBody(exchange);
  if (body === undefined) {
    refresh(exchange, resource, conditions, table);
    return;
  }
  const timeoutS = timeoutOf(exchange);
  const depth = depthOf(exchange, "infinity", "0");
  const owner = ownerOf(body);
  await conditions.check(resource);
  if (!resource.hasParent) {
    throw new DavError(409);
  }
  const isNew = resource.stats === undefined;
  if (isNew) {
    conditions.checkLocks([{ resource, isDeep: false, isMember: true }]);
  }
  const made: DavLock = {
    token: `opaquelocktoken:${randomUUID()}`,
    file: resource.file,
    href: resource.href,
    isDeep: depth === "infinity",
    owner,
    user: userOf(exchange),
    holder: holderOf(exchange),
    timeoutS,
    expiresMs: Date.now() + timeoutS * 1000,
  };
  add(table, made);
  if (isNew) {
    try {
      await makeEmptyFile(resource);
    } catch (error) {
      removeToken(table, made.token);
      throw error;
    }
  }
  exchange.responseHeaders.push("Lock-Token", `<${made.token}>`);
  answer(exchange, isNew ? 201 : 200, made);
}

/** Removes a lock. Source: RFC 4918, section 9.11 */
export function unlock(exchange: Exchange, resource: Resource, table: LockTable): void {
  const [, token] = /^\s*<([^<>]+)>\s*$/.exec(exchange.header("lock-token")) ?? [];
  if (token === undefined) {
    throw new DavError(400, "invalid Lock-Token: it is a token between < and >");
  }
  const found = table.locks.find((each) => each.token === token && covers(each, resource.file));
  if (found === undefined) {
    throw new DavError(409, "no such lock", "<D:lock-token-matches-request-uri/>");
  }
  if (found.user !== userOf(exchange)) {
    throw new DavError(403, "the lock is another user's");
  }
  removeToken(table, token);
  exchange.respond(204);
}

/** Removes the locks of deleted resources. */
export function forgetLocks(table: LockTable, { entry, file }: Resource): void {
  if (table.locks.length > 0) {
    table.change((locks) => {
      const left = locks.filter((each) => !isWithin(each.file, file) && !isWithin(each.file, entry));
      return left.length === locks.length ? locks : left;
    });
  }
}
