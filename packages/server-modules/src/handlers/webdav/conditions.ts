import { lstatSync } from "node:fs";
import type { Exchange } from "http-engine/exchange";
import { headerText } from "http-engine/header-list";
import { readPlaceholder } from "http-engine/placeholders";
import { percentDecode } from "server-core/uri/percent-encoding";
import { pathBytes } from "../../files/path-bytes.ts";
import { checkPreconditions, type Validators } from "../../files/preconditions.ts";
import { describeFile, type ServedFile } from "../file-server/served-file.ts";
import { DavError } from "./dav-error.ts";
import { escapeXml } from "./dav-xml.ts";
import { type IfCondition, type IfList, parseIf } from "./if-header.ts";
import { covers, type DavLock, type LockTable } from "./lock-table.ts";
import { isWithin, type Resource, type Share } from "./share.ts";

/** Precondition fields of HTTP itself, in addition to `If`. */
const conditionFields = ["if-match", "if-none-match", "if-unmodified-since"];

/** A change that a request would make. */
export interface Change {
  /** File or folder that the request would change. */
  readonly resource: Resource;
  /** True when everything below the resource changes too. */
  readonly isDeep: boolean;
  /** True when the parent folder gains or loses a member. */
  readonly isMember: boolean;
}

/** Describes a file. Unlike in `file_server`, a file whose time is 1970 also has a tag. */
export function describe({ file, stats }: Resource & { stats: NonNullable<Resource["stats"]> }): ServedFile {
  const described = describeFile(file, stats);
  return described.etag === "" ? { ...described, etag: `"${stats.mtimeNs}-${stats.size}"` } : described;
}

/** Tag and time of a file; undefined for a folder. */
function validatorsOf(resource: Resource): Validators | undefined {
  const { stats } = resource;
  return stats === undefined ? undefined : stats.isDirectory() ? undefined : describe({ ...resource, stats });
}

/** Name of the authenticated user; "" without authentication. */
export function userOf(exchange: Exchange): string {
  return readPlaceholder(exchange, "http.auth.user.id") ?? "";
}

/**
 * Host and port for comparison. The ports 80 and 443 are left out, so that a TLS proxy in front makes no difference.
 */
function hostKey(hostport: string): string {
  return hostport.toLowerCase().replace(/:(?:80|443)?$/, "");
}

/**
 * Finds the resource of a URL in a header field.
 * @returns undefined for a URL on a different host, or outside the share
 * @throws DavError 400 for an invalid URL
 */
export async function findUrl(
  exchange: Exchange,
  share: Share,
  url: string,
  field: string,
): Promise<Resource | undefined> {
  const [, host, rawPath = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/([^/?#]*))?(\/[^?#]*)?$/i.exec(url) ?? [];
  const path = percentDecode(headerText(rawPath));
  if (path === undefined || path.includes("\0") || (rawPath === "" && host === undefined)) {
    throw new DavError(400, `invalid ${field}: it is no URL of a path`);
  }
  const known = [exchange.hostport];
  if (exchange.server.isTrustedProxy?.(exchange)) {
    known.push(exchange.header("x-forwarded-host"));
  }
  if (host !== undefined && !known.some((each) => hostKey(each) === hostKey(host))) {
    return undefined;
  }
  return share.findElsewhere(path);
}

/**
 * The conditions of a request, and the lock tokens in it.
 * | Check | When | Failure |
 * |---|---|---|
 * | `check` | before any other work | 412 |
 * | `checkLocks` | before a change, and again at its end | 423 |
 * | `checkUnchanged` | after the body was read, at the moment of the change | 412 |
 */
export class Conditions {
  readonly #exchange: Exchange;
  readonly #share: Share;
  readonly #table: LockTable;
  /** Lists of the field `If`; at least one list must be fulfilled. */
  readonly #lists: readonly IfList[];

  /** @throws DavError 400 for a malformed field */
  constructor(exchange: Exchange, share: Share, table: LockTable) {
    this.#exchange = exchange;
    this.#share = share;
    this.#table = table;
    const text = exchange.header("if");
    this.#lists = text.trim() === "" ? [] : parseIf(text);
  }

  /** True when the request names a lock that the same user created. */
  owns({ token, user }: DavLock): boolean {
    return (
      user === userOf(this.#exchange) &&
      this.#lists.some(({ conditions }) => conditions.some((each) => each.token === token))
    );
  }

  /**
   * Evaluates the conditions of the request before any work.
   * @param target the requested resource
   * @param others further resources that the method would change
   * @throws DavError 412
   */
  async check(target: Resource, others: readonly Resource[] = []): Promise<void> {
    this.#checkValidators(target);
    if (this.#lists.length === 0) {
      return;
    }
    for (const list of this.#lists) {
      if (await this.#holds(list, target, others)) {
        return;
      }
    }
    throw new DavError(412, "no list of the field If holds");
  }

  /**
   * Checks after a wait that the resource is unchanged since the conditions were evaluated.
   * @throws DavError 412 when the resource has changed, and the request has conditions
   */
  checkUnchanged({ file, stats }: Resource): void {
    const hasConditions =
      this.#lists.length > 0 || conditionFields.some((name) => this.#exchange.header(name) !== "");
    if (!hasConditions) {
      return;
    }
    const now = lstatSync(pathBytes(file), { bigint: true, throwIfNoEntry: false });
    if (now?.ino !== stats?.ino || now?.mtimeNs !== stats?.mtimeNs || now?.size !== stats?.size) {
      throw new DavError(412, "another request changed it meanwhile");
    }
  }

  /** Checks that no lock of another user forbids a change. @throws DavError 423 */
  checkLocks(changes: readonly Change[]): void {
    const { locks } = this.#table;
    if (locks.length === 0) {
      return;
    }
    const refusing = locks.filter((lock) => !this.owns(lock) && changes.some((each) => forbids(lock, each)));
    if (refusing.length > 0) {
      throw lockedError("lock-token-submitted", refusing);
    }
  }

  /** Evaluates the HTTP preconditions. Source: RFC 9110, section 13.2.2 */
  #checkValidators(target: Resource): void {
    const exchange = this.#exchange;
    if (target.stats === undefined) {
      if (exchange.header("if-match") !== "") {
        throw new DavError(412, "If-Match: nothing is there");
      }
      return;
    }
    const validators = validatorsOf(target) ?? { etag: "", modifiedMs: undefined };
    if (checkPreconditions(exchange, validators) === "failed") {
      throw new DavError(412);
    }
  }

  /** True when all conditions of a list are fulfilled. */
  async #holds({ tag, conditions }: IfList, target: Resource, others: readonly Resource[]): Promise<boolean> {
    const about = tag === undefined ? target : await findUrl(this.#exchange, this.#share, tag, "If");
    if (about === undefined) {
      return false; // the tag names a different host
    }
    // Clients send the lock token of a destination without a tag.
    const lockable = tag === undefined ? [about, ...others] : [about];
    return conditions.every((each) => this.#isTrue(each, about, lockable) !== each.isNot);
  }

  /** Evaluates one condition: it names a lock that must cover the resource, or the resource's tag. */
  #isTrue({ token, etag }: IfCondition, about: Resource, lockable: readonly Resource[]): boolean {
    if (token !== undefined) {
      const lock = this.#table.locks.find((each) => each.token === token);
      return lock !== undefined && lockable.some(({ file }) => covers(lock, file));
    }
    const found = validatorsOf(about)?.etag ?? "";
    return found !== "" && found === etag;
  }
}

function folderOf(entry: string): string {
  return entry.slice(0, entry.lastIndexOf("/")) || "/";
}

/** True when a lock forbids the change: on the resource, below it, or on its folder. */
function forbids(lock: DavLock, { resource, isDeep, isMember }: Change): boolean {
  return (
    covers(lock, resource.file) ||
    (isDeep && isWithin(lock.file, resource.file)) ||
    (isMember && (lock.file === folderOf(resource.entry) || covers(lock, resource.entry)))
  );
}

/** The error for a request that locks forbid. The error lists the locked resources. */
export function lockedError(condition: string, locks: readonly DavLock[]): DavError {
  const most = 10;
  const places = locks.slice(0, most).map(({ href }) => `<D:href>${escapeXml(href)}</D:href>`);
  return new DavError(423, "Locked", `<D:${condition}>${places.join("")}</D:${condition}>`);
}
