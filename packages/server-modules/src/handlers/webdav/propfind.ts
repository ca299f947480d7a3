import { opendir } from "node:fs/promises";
import { Readable } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import { textOfBuffer } from "server-core/uri/text-of-bytes";
import { pathBytes } from "../../files/path-bytes.ts";
import { userOf } from "./conditions.ts";
import { DavError } from "./dav-error.ts";
import {
  childrenOf,
  type DavElement,
  dav,
  davChildren,
  escapeXml,
  readXmlBody,
  writeElement,
} from "./dav-xml.ts";
import type { LockTable } from "./lock-table.ts";
import { type Asked, isProtected, type LockView, writePropstat, writeResponse } from "./properties.ts";
import { existing, type FoundResource, isTemporary, type Resource, type Share } from "./share.ts";

/** Maximum number of property names in one request, because the response repeats each name for each file. */
const maxNames = 200;
/** Maximum number of resources in one response. At the limit, the walk stops, and the response says so. */
const maxEntries = 100_000;
/** Maximum number of folders that may wait during a walk. At this number the walk stops, and the response says so. */
const maxWaiting = 10_000;
/** Characters of each chunk that is sent. */
const chunkLength = 32 * 1024;

/** The default for a request without a body. Source: RFC 4918, section 9.1 */
const everything: Asked = { namesOnly: false, isAll: true, names: [] };
/** Start of a multistatus document; `end` is its end. */
const start = '<?xml version="1.0" encoding="UTF-8"?><D:multistatus xmlns:D="DAV:">';
const end = "</D:multistatus>";

/** The values of the field `Depth`. */
export type Depth = "0" | "1" | "infinity";

/**
 * Parses the field `Depth`.
 * @param allowed values that the method allows; the first is the default
 * @throws DavError 400
 */
export function depthOf(exchange: Exchange, ...allowed: readonly Depth[]): Depth {
  const text = exchange.header("depth").toLowerCase();
  const depth = text === "" ? allowed[0] : allowed.find((each) => each === text);
  if (depth === undefined) {
    throw new DavError(400, `invalid Depth: this method takes ${allowed.join(", ")}`);
  }
  return depth;
}

/** Property names in an element, up to the limit. */
function namesIn(element: DavElement | undefined): DavElement[] {
  const names = element === undefined ? [] : childrenOf(element);
  if (names.length > maxNames) {
    throw new DavError(400, `the body names more properties than the limit of ${maxNames}`);
  }
  return names;
}

/** @throws DavError 400. Source: RFC 4918, section 14.20 */
async function readAsked(exchange: Exchange): Promise<Asked> {
  const body = await readXmlBody(exchange);
  if (body === undefined) {
    return everything;
  }
  const [prop] = davChildren(body, "prop");
  const [include] = davChildren(body, "include");
  const isAll = davChildren(body, "allprop").length > 0;
  const namesOnly = davChildren(body, "propname").length > 0;
  const kinds = Number(isAll) + Number(namesOnly) + Number(prop !== undefined);
  if (body.space !== dav || body.name !== "propfind" || kinds !== 1 || (include !== undefined && !isAll)) {
    throw new DavError(400, "the body is no propfind with one of allprop, propname and prop");
  }
  return { namesOnly, isAll, names: namesIn(prop ?? include) };
}

/** Members of a folder. An entry that is unreadable, or neither a file nor a folder, is skipped. */
async function* membersOf(share: Share, folder: FoundResource): AsyncGenerator<FoundResource> {
  let entries: Awaited<ReturnType<typeof opendir>>;
  try {
    entries = await opendir(pathBytes(folder.file), { encoding: "buffer" as BufferEncoding });
  } catch {
    return; // the folder itself was already listed
  }
  for await (const entry of entries) {
    const name = textOfBuffer(entry.name as unknown as Buffer);
    if (isTemporary(name)) {
      continue;
    }
    let member: Resource;
    try {
      member = await share.member(folder, name);
    } catch {
      continue;
    }
    if (member.stats?.isFile() || member.stats?.isDirectory()) {
      yield member as FoundResource;
    }
  }
}

/**
 * The resource and everything below it; undefined marks an exceeded limit. Links to folders are listed, but not
 * followed, because they may form cycles.
 */
async function* walk(
  share: Share,
  first: FoundResource,
  depth: Depth,
): AsyncGenerator<FoundResource | undefined> {
  yield first;
  const waiting = depth === "0" || !first.stats.isDirectory() ? [] : [first];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for await (const member of membersOf(share, folder)) {
      yield member;
      if (depth === "infinity" && member.stats.isDirectory() && member.entry === member.file) {
        if (waiting.length >= maxWaiting) {
          yield undefined;
          return;
        }
        waiting.push(member);
      }
    }
  }
}

/** Writes that the list is incomplete. Source: RFC 4918, section 11.5; RFC 5323, section 5.17 */
function writeEnd({ href }: FoundResource): string {
  return `<D:response><D:href>${escapeXml(href)}</D:href><D:status>HTTP/1.1 507 Insufficient Storage</D:status></D:response>`;
}

/** Generates the chunks of the response. @param limit maximum number of resources */
export async function* writeMultistatus(
  resources: AsyncIterable<FoundResource | undefined>,
  write: (resource: FoundResource) => string,
  limit = maxEntries,
): AsyncGenerator<Buffer> {
  let text = start;
  let count = 0;
  let first: FoundResource | undefined;
  for await (const resource of resources) {
    first ??= resource;
    count++;
    if (resource === undefined || count > limit) {
      text += first === undefined ? "" : writeEnd(first);
      break;
    }
    text += write(resource);
    if (text.length >= chunkLength) {
      yield Buffer.from(text);
      text = "";
    }
  }
  yield Buffer.from(text + end);
}

/**
 * Describes a resource, and with `Depth` the resources below. `Depth: 0` describes the resource, `1` also its members,
 * `infinity` (the default) also everything below it. Source: RFC 4918, section 9.1
 */
export async function propfind(exchange: Exchange, share: Share, table: LockTable): Promise<void> {
  const isRead = exchange.method === "GET" || exchange.method === "HEAD";
  const resource = existing(await share.find(exchange));
  const depth = isRead ? depthOf(exchange, "1", "0") : depthOf(exchange, "infinity", "0", "1");
  const asked = isRead ? everything : await readAsked(exchange);
  const view: LockView = { locks: table.locks, user: userOf(exchange), nowMs: Date.now() };
  exchange.responseHeaders.push("Content-Type", "text/xml; charset=utf-8");
  if (exchange.method === "HEAD") {
    exchange.respond(207);
    return;
  }
  exchange.writeHead(207);
  const pieces = writeMultistatus(walk(share, resource, depth), (each) => writeResponse(each, asked, view));
  await exchange.sendStream(Readable.from(pieces, { objectMode: false, highWaterMark: chunkLength }));
}

/**
 * Refuses to set properties, because the file system cannot store them. Caddy's plug-in gives the same answer. Source:
 * RFC 4918, section 9.2
 */
export async function proppatch(exchange: Exchange, resource: FoundResource): Promise<void> {
  const body = await readXmlBody(exchange);
  const actions = body === undefined ? [] : childrenOf(body);
  const isKnown = (each: DavElement) => each.space === dav && ["set", "remove"].includes(each.name);
  if (body?.space !== dav || body.name !== "propertyupdate" || !actions.some(isKnown)) {
    throw new DavError(400, "the body is no propertyupdate with set or remove");
  }
  const names = namesIn({
    ...body,
    content: actions
      .filter(isKnown)
      .flatMap((each) => davChildren(each, "prop"))
      .flatMap(childrenOf),
  });
  const write = (list: readonly DavElement[]) => list.map((each) => writeElement(each, "")).join("");
  const fixed = names.filter(isProtected);
  const others = names.filter((each) => !isProtected(each));
  const refusal = "<D:error><D:cannot-modify-protected-property/></D:error>";
  const groups = [
    fixed.length === 0 ? "" : writePropstat("403 Forbidden", write(fixed), refusal),
    others.length === 0
      ? ""
      : writePropstat(fixed.length === 0 ? "403 Forbidden" : "424 Failed Dependency", write(others)),
  ];
  const href = escapeXml(resource.href);
  exchange.responseHeaders.push("Content-Type", "text/xml; charset=utf-8");
  exchange.respond(207, `${start}<D:response><D:href>${href}</D:href>${groups.join("")}</D:response>${end}`);
}
