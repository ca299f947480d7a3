import { basename } from "node:path";
import { mediaTypeOf } from "../../files/media-type.ts";
import { describe } from "./conditions.ts";
import { type DavElement, dav, escapeXml, writeElement } from "./dav-xml.ts";
import { covers, type DavLock } from "./lock-table.ts";
import type { FoundResource } from "./share.ts";

/** The locks, and the user of the request. */
export interface LockView {
  /** Locks that have not expired. */
  readonly locks: readonly DavLock[];
  /** User of the request: tokens are shown only to their creators. */
  readonly user: string;
  /** Milliseconds since 1970, to compute the remaining time of locks. */
  readonly nowMs: number;
}

export type PropertyName = Pick<DavElement, "space" | "name">;

/** Writes the value of a property as XML. */
type Property = (resource: FoundResource, view: LockView) => string;

/** Describes a lock. @param showsToken true for the owner of the lock */
export function writeLock(lock: DavLock, showsToken: boolean, nowMs: number): string {
  const leftS = Math.max(1, Math.ceil((lock.expiresMs - nowMs) / 1000));
  const token = showsToken ? `<D:locktoken><D:href>${escapeXml(lock.token)}</D:href></D:locktoken>` : "";
  return [
    "<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:exclusive/></D:lockscope>",
    `<D:depth>${lock.isDeep ? "infinity" : "0"}</D:depth><D:owner>${lock.owner}</D:owner>`,
    `<D:timeout>Second-${leftS}</D:timeout>${token}`,
    `<D:lockroot><D:href>${escapeXml(lock.href)}</D:href></D:lockroot></D:activelock>`,
  ].join("");
}

/** Properties that only files have. */
const ofFiles: Readonly<Record<string, Property>> = {
  getcontentlength: ({ stats }) => String(stats.size),
  getcontenttype: ({ path }) => escapeXml(mediaTypeOf(path) || "application/octet-stream"),
  getetag: (resource) => escapeXml(describe(resource).etag),
};

/** Properties of files and folders. */
const ofAll: Readonly<Record<string, Property>> = {
  resourcetype: ({ stats }) => (stats.isDirectory() ? "<D:collection/>" : ""),
  // The folder name of the root is not disclosed.
  displayname: ({ path }) => escapeXml(basename(path)),
  getlastmodified: ({ stats }) => new Date(Number(stats.mtimeMs)).toUTCString(),
  supportedlock: () =>
    "<D:lockentry><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>",
  lockdiscovery: ({ file }, { locks, user, nowMs }) =>
    locks
      .filter((lock) => covers(lock, file))
      .map((lock) => writeLock(lock, lock.user === user, nowMs))
      .join(""),
};

/** Properties that clients must not set. Source: RFC 4918, section 15 */
const protectedNames = new Set([
  ...Object.keys(ofAll),
  ...Object.keys(ofFiles),
  "creationdate",
  "getcontentlanguage",
]);

/** True for a property that the server sets itself. */
export function isProtected({ space, name }: PropertyName): boolean {
  return space === dav && protectedNames.has(name);
}

/** Finds the writer of a property; undefined when resources of this kind lack the property. */
function readerOf({ space, name }: PropertyName, isFolder: boolean): Property | undefined {
  if (space !== dav) {
    return undefined;
  }
  const own = Object.hasOwn(ofAll, name) ? ofAll[name] : undefined;
  return own ?? (!isFolder && Object.hasOwn(ofFiles, name) ? ofFiles[name] : undefined);
}

/** Writes properties that have the same status. @param more XML that follows the status */
export function writePropstat(status: string, properties: string, more = ""): string {
  return `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${status}</D:status>${more}</D:propstat>`;
}

/** The requested properties. */
export interface Asked {
  /** True for names without values. */
  readonly namesOnly: boolean;
  /** True when all known properties are requested, in addition to the properties in `names`. */
  readonly isAll: boolean;
  /** Names listed in the request. */
  readonly names: readonly PropertyName[];
}

/** Writes the `response` element of a resource. */
export function writeResponse(resource: FoundResource, asked: Asked, view: LockView): string {
  const isFolder = resource.stats.isDirectory();
  const own = Object.keys(isFolder ? ofAll : { ...ofAll, ...ofFiles }).map((name) => ({ space: dav, name }));
  const isOwn = (wanted: PropertyName) =>
    own.some(({ space, name }) => space === wanted.space && name === wanted.name);
  const names = asked.isAll
    ? [...own, ...asked.names.filter((each) => !isOwn(each))]
    : asked.namesOnly
      ? own
      : asked.names;
  let found = "";
  let missing = "";
  for (const name of names) {
    const reader = readerOf(name, isFolder);
    if (reader === undefined) {
      missing += writeElement(name, "");
    } else {
      found += writeElement(name, asked.namesOnly ? "" : reader(resource, view));
    }
  }
  const ok = found === "" && missing !== "" ? "" : writePropstat("200 OK", found);
  const absent = missing === "" ? "" : writePropstat("404 Not Found", missing);
  return `<D:response><D:href>${escapeXml(resource.href)}</D:href>${ok}${absent}</D:response>`;
}
