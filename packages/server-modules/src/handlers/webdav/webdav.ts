import { mkdir, open } from "node:fs/promises";
import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { setHeader } from "http-engine/header-list";
import { compileTemplate, type Template } from "http-engine/placeholders";
import { statusText } from "http-protocols/http1/response-start";
import { openFlags } from "server-core/files/read-regular-file";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { mediaTypeOf } from "../../files/media-type.ts";
import { pathBytes } from "../../files/path-bytes.ts";
import { pathText } from "../../files/path-text.ts";
import { compileRoot } from "../../files/site-path.ts";
import { sendFile } from "../file-server/send-file.ts";
import { Conditions, describe, findUrl } from "./conditions.ts";
import { DavError, davErrorOf, refuse } from "./dav-error.ts";
import { forgetLocks, lock, unlock } from "./lock-methods.ts";
import { LockTable, lockTableBytes } from "./lock-table.ts";
import { depthOf, propfind, proppatch } from "./propfind.ts";
import { existing, type FoundResource, isWithin, type Resource, Share } from "./share.ts";
import { copyTo, moveTo, removeAll, writeFileFromBody } from "./write-files.ts";

/** Methods for a path where nothing exists. */
const ofAbsent = "OPTIONS, LOCK, PUT, MKCOL";
/** Methods for folders. */
const ofFolders = "OPTIONS, LOCK, DELETE, PROPPATCH, COPY, MOVE, UNLOCK, PROPFIND";
/** Methods for files. */
const ofFiles = "OPTIONS, LOCK, GET, HEAD, POST, DELETE, PROPPATCH, COPY, MOVE, UNLOCK, PROPFIND, PUT";

/** The parts of a request that a method needs. */
interface Task {
  readonly exchange: Exchange;
  /** The share of the request. */
  readonly share: Share;
  /** Locks of the share, shared by all threads. */
  readonly table: LockTable;
}

/** Executes a method. */
type Method = (task: Task) => void | Promise<void>;

/** Value of `Allow` for a resource. */
function allowedOf({ stats }: Resource): string {
  return stats === undefined ? ofAbsent : stats.isDirectory() ? ofFolders : ofFiles;
}

/** Makes the error 405 and adds the field `Allow`. */
function notAllowed(exchange: Exchange, resource: Resource): DavError {
  exchange.responseHeaders.push("Allow", allowedOf(resource));
  return new DavError(405);
}

/** Answers 201 for a new resource, else 204. */
function done(exchange: Exchange, isNew: boolean): void {
  if (isNew) {
    exchange.responseHeaders.push("Content-Type", "text/plain; charset=utf-8");
    exchange.respond(201, statusText(201));
  } else {
    exchange.respond(204);
  }
}

/** Announces locks (class 2). `Ms-Author-Via` makes old Windows clients use WebDAV. */
async function options({ exchange, share }: Task): Promise<void> {
  const resource = await share.find(exchange);
  exchange.responseHeaders.push("Allow", allowedOf(resource), "Dav", "1, 2", "Ms-Author-Via", "DAV");
  exchange.respond(200);
}

/** Sends a file. For a folder, sends a description, because a folder has no content. */
async function get(task: Task): Promise<void> {
  const { exchange, share, table } = task;
  const resource = existing(await share.find(exchange));
  if (resource.stats.isDirectory()) {
    if (exchange.method === "POST") {
      throw notAllowed(exchange, resource);
    }
    return propfind(exchange, share, table);
  }
  if (!resource.stats.isFile()) {
    throw new DavError(403, "not a regular file");
  }
  const handle = await open(pathBytes(resource.file), openFlags);
  let sending: void | Promise<void>;
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) {
      throw new DavError(403, "not a regular file"); // the path was a regular file a moment ago
    }
    const served = describe({ ...resource, stats });
    const { responseHeaders } = exchange;
    setHeader(responseHeaders, "Etag", served.etag);
    if (served.lastModified !== "") {
      setHeader(responseHeaders, "Last-Modified", served.lastModified);
    }
    const type = mediaTypeOf(resource.path);
    if (type === "") {
      exchange.tellType();
    } else {
      setHeader(responseHeaders, "Content-Type", type);
    }
    sending = sendFile(exchange, served, handle, 0);
  } catch (error) {
    await handle.close().catch(() => {});
    throw error;
  }
  return sending;
}

/**
 * Writes the body to a temporary file in the same folder, and renames this file at the end. A body that is cut off
 * changes nothing.
 */
async function put({ exchange, share, table }: Task): Promise<void> {
  const resource = await share.find(exchange);
  const conditions = new Conditions(exchange, share, table);
  if (resource.stats?.isDirectory()) {
    throw notAllowed(exchange, resource);
  }
  if (resource.stats !== undefined && !resource.stats.isFile()) {
    throw new DavError(403, "not a regular file");
  }
  if (exchange.header("content-range") !== "") {
    throw new DavError(400, "Content-Range: a part of a file cannot be put");
  }
  await conditions.check(resource);
  const isNew = resource.stats === undefined;
  const check = () => conditions.checkLocks([{ resource, isDeep: false, isMember: isNew }]);
  check();
  if (!resource.hasParent) {
    throw new DavError(409);
  }
  // Other clients may lock or change the file while the body arrives, but not between the last check and the rename.
  await writeFileFromBody(exchange, resource, (replace) =>
    table.exclusively(() => {
      check();
      conditions.checkUnchanged(resource);
      replace();
    }),
  );
  const written = await share.resolve(resource.path);
  if (written.stats !== undefined) {
    exchange.responseHeaders.push("Etag", describe({ ...written, stats: written.stats }).etag);
  }
  done(exchange, isNew);
}

/** Creates a folder. Source: RFC 4918, section 9.3 */
async function mkcol({ exchange, share, table }: Task): Promise<void> {
  const resource = await share.find(exchange);
  const conditions = new Conditions(exchange, share, table);
  if (exchange.hasBody) {
    throw new DavError(415, "MKCOL takes no body");
  }
  await conditions.check(resource);
  if (resource.stats !== undefined) {
    throw notAllowed(exchange, resource);
  }
  conditions.checkLocks([{ resource, isDeep: false, isMember: true }]);
  if (!resource.hasParent) {
    throw new DavError(409);
  }
  await mkdir(pathBytes(resource.entry));
  done(exchange, true);
}

/** @throws DavError 403 for the root of the share */
function notRoot(resource: FoundResource): FoundResource {
  if (resource.path === "/") {
    throw new DavError(403, "the root stays");
  }
  return resource;
}

/** Removes a file, or a folder with its content. A link is removed, not its target. */
async function remove({ exchange, share, table }: Task): Promise<void> {
  const conditions = new Conditions(exchange, share, table);
  const resource = notRoot(existing(await share.find(exchange)));
  if (resource.stats.isDirectory()) {
    depthOf(exchange, "infinity");
  }
  await conditions.check(resource);
  conditions.checkLocks([{ resource, isDeep: true, isMember: true }]);
  await removeAll(resource.entry === resource.file ? resource : { ...resource, stats: undefined });
  forgetLocks(table, resource);
  done(exchange, false);
}

/** The destination of a copy or move. @throws DavError 400, 502 */
async function destinationOf({ exchange, share }: Task): Promise<Resource> {
  const url = exchange.header("destination").trim();
  if (url === "") {
    throw new DavError(400, "Destination is missing");
  }
  const found = await findUrl(exchange, share, url, "Destination");
  if (found === undefined) {
    throw new DavError(502, "Destination is of another host or outside of this share");
  }
  return found;
}

/** Parses `Overwrite`; the default is true. Source: RFC 4918, section 10.6 */
function overwrites(exchange: Exchange): boolean {
  const text = exchange.header("overwrite").trim().toUpperCase();
  if (!["", "T", "F"].includes(text)) {
    throw new DavError(400, "invalid Overwrite: it is T or F");
  }
  return text !== "F";
}

/** Copies or moves. The checks are in the order of the expected statuses: 403, 412, 423, 409. */
async function transfer(task: Task, isMove: boolean): Promise<void> {
  const { exchange, share, table } = task;
  const isDeep = depthOf(exchange, "infinity", ...(isMove ? [] : ["0" as const])) === "infinity";
  const conditions = new Conditions(exchange, share, table);
  const replaces = overwrites(exchange);
  const source = existing(await share.find(exchange));
  const target = await destinationOf(task);
  if (isMove) {
    notRoot(source);
  }
  if (target.path === "/" || target.file === source.file) {
    throw new DavError(403, "source and destination are the same, or the destination is the root");
  }
  // Replacing a folder would remove a source inside of it; copying a folder into itself would never end.
  if (isWithin(source.entry, target.entry) || (isDeep && isWithin(target.entry, source.file))) {
    throw new DavError(403, "one of source and destination is within the other");
  }
  await conditions.check(source, [target]);
  if (target.stats !== undefined && !replaces) {
    throw new DavError(412, "Overwrite: the destination is there");
  }
  const isNew = target.stats === undefined;
  conditions.checkLocks([
    ...(isMove ? [{ resource: source, isDeep: true, isMember: true }] : []),
    { resource: target, isDeep: true, isMember: isNew },
  ]);
  if (!target.hasParent) {
    throw new DavError(409);
  }
  // A link at the destination is replaced; its target stays.
  const place = target.entry === target.file ? target : { ...target, stats: undefined };
  await (isMove ? moveTo(exchange, source, place) : copyTo(exchange, source, place, isDeep));
  if (isMove) {
    forgetLocks(table, source);
  }
  done(exchange, isNew);
}

/** Methods of the share. All other methods get 405. */
const methods: Readonly<Record<string, Method>> = {
  OPTIONS: options,
  GET: get,
  HEAD: get,
  POST: get,
  PUT: put,
  MKCOL: mkcol,
  DELETE: remove,
  COPY: (task) => transfer(task, false),
  MOVE: (task) => transfer(task, true),
  PROPFIND: ({ exchange, share, table }) => propfind(exchange, share, table),
  PROPPATCH: async ({ exchange, share, table }) => {
    const conditions = new Conditions(exchange, share, table);
    const resource = existing(await share.find(exchange));
    await conditions.check(resource);
    conditions.checkLocks([{ resource, isDeep: false, isMember: false }]);
    await proppatch(exchange, resource);
  },
  LOCK: async ({ exchange, share, table }) => {
    const conditions = new Conditions(exchange, share, table);
    await lock(exchange, await share.find(exchange), conditions, table);
  },
  UNLOCK: async ({ exchange, share, table }) => unlock(exchange, await share.find(exchange), table),
};

/** Maps file system errors to WebDAV statuses, and violated preconditions to XML. */
class WebDavHandler implements HttpHandler {
  readonly inRehearsal = "answers";
  readonly #rootOf: (exchange: Exchange) => string;
  readonly #prefix: Template;
  readonly #table: LockTable;

  constructor(root: string | null | undefined, prefix: string, table: LockTable) {
    this.#rootOf = compileRoot(root);
    this.#prefix = compileTemplate(prefix);
    this.#table = table;
  }

  async handle(exchange: Exchange): Promise<void> {
    try {
      const share = await Share.open(exchange, this.#rootOf(exchange), this.#prefix(exchange));
      const method = Object.hasOwn(methods, exchange.method) ? methods[exchange.method] : undefined;
      if (method === undefined) {
        throw notAllowed(exchange, await share.find(exchange));
      }
      await method({ exchange, share, table: this.#table });
    } catch (error) {
      const failure = davErrorOf(error, exchange);
      if (failure instanceof DavError && !exchange.answered) {
        refuse(exchange, failure);
      } else {
        throw failure;
      }
    }
  }
}

/**
 * Serves files for reading and writing over WebDAV, classes 1 and 2. Source: RFC 4918; Caddy's plug-in of
 * the same name (mholt/caddy-webdav)
 */
export const webdav = defineModule({
  id: "http.handlers.webdav",
  config: z.strictObject({
    root: pathText()
      .nullish()
      .describe("Folder that is shared ({http.vars.root}, else the working folder); placeholders allowed."),
    prefix: z
      .string()
      .nullish()
      .describe("Beginning of the paths of URLs that is no folder of the root (none); placeholders allowed."),
  }),
  async provision({ root, prefix }, { shared }): Promise<HttpHandler> {
    // The memory is keyed by the root, so that locks outlive reloads, and handlers of one folder share locks.
    const memory = await shared.memory(`http.handlers.webdav/${root ?? ""}`, lockTableBytes);
    return new WebDavHandler(root, prefix ?? "", new LockTable(memory));
  },
});
