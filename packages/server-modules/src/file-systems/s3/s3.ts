import { filled } from "certificates/tls/dns/api/filled-text";
import { HttpError } from "http-engine/http-error";
import { messageOf, ServerError } from "server-core/errors";
import { defineModule } from "server-core/modules/module";
import type { ResourceKind } from "server-core/modules/usage-pool";
import type { ByteRange } from "../../files/byte-ranges.ts";
import type { FileSystem, RemoteEntry, RemoteStats } from "../file-system.ts";
import { readPage } from "./s3-answers.ts";
import { S3Client } from "./s3-client.ts";
import { s3Schema } from "./s3-config.ts";

/** Clients by their settings: handlers of all configs share connections and credentials. */
const clients: ResourceKind<S3Client> = { name: "s3 clients" };

/** Maximum number of bytes of a key. Source: Amazon S3 User Guide, "Naming Amazon S3 objects" */
const maxKeyBytes = 1024;
/** Maximum number of entries of one page. */
const pageSize = 1_000;
/** Maximum number of entries of a listing, also where the config sets no limit. */
const maxEntries = 100_000;

const folderStats: RemoteStats = { isFolder: true, size: 0, etag: "", modifiedMs: undefined };

/** True for a path that can be a key. */
function isKey(path: string): boolean {
  return path.isWellFormed() && Buffer.byteLength(path) <= maxKeyBytes;
}

/** The type of an object; "" for a type that services assign to uploads without a type. */
function typeOf(text: string): string {
  return /^(?:binary|application)\/octet-stream$/i.test(text) ? "" : text;
}

const headerText = (value: string | string[] | undefined) => String(value ?? "");

/** A bucket as a file system: a key with slashes is a file in folders, which exist while they have files. */
export class S3FileSystem implements FileSystem {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async stat(path: string): Promise<RemoteStats | undefined> {
    if (path === "") {
      return folderStats;
    }
    if (!isKey(path)) {
      return undefined;
    }
    const headers = await this.#client.head(path);
    if (headers === undefined) {
      const { entries, isFolder } = await this.#page(path, { "max-keys": "1" });
      return isFolder || entries.length > 0 ? folderStats : undefined;
    }
    const modifiedMs = Date.parse(headerText(headers["last-modified"]));
    return {
      isFolder: false,
      size: Number(headerText(headers["content-length"])) || 0,
      etag: headerText(headers.etag),
      stored: {
        // Some uploads leave `aws-chunked` in the field. It is a coding of the transfer, not of the stored bytes.
        contentEncoding: headerText(headers["content-encoding"]).replace(/\s*,?\s*aws-chunked\s*,?\s*/i, ""),
        contentType: typeOf(headerText(headers["content-type"])),
        cacheControl: headerText(headers["cache-control"]),
      },
      modifiedMs: Number.isNaN(modifiedMs) ? undefined : modifiedMs,
    };
  }

  async list(path: string, limit: number): Promise<RemoteEntry[]> {
    const wanted = Math.min(limit, maxEntries);
    const found: RemoteEntry[] = [];
    let token: string | undefined;
    do {
      const size = Math.min(pageSize, wanted - found.length);
      const { entries, next } = await this.#page(path, {
        delimiter: "/",
        "max-keys": String(size),
        ...(token === undefined ? {} : { "continuation-token": token }),
      });
      found.push(...entries);
      if (next !== undefined && next === token) {
        throw new HttpError(502, "s3: a listing does not go on");
      }
      token = next;
    } while (token !== undefined && found.length < wanted);
    return found.slice(0, wanted);
  }

  async *read(path: string, stats: RemoteStats, { start, end }: ByteRange): AsyncGenerator<Buffer> {
    const { statusCode, headers, body } = await this.#client.body(path, {
      range: `bytes=${start}-${end}`,
      ...(stats.etag === "" ? {} : { "if-match": stats.etag }),
    });
    const isWhole = start === 0 && end === stats.size - 1;
    if (statusCode === 200 && !isWhole) {
      body.destroy();
      throw new HttpError(502, "s3: the service does not send parts of objects");
    }
    if (stats.etag !== "" && headerText(headers.etag) !== stats.etag) {
      body.destroy();
      throw new HttpError(502, "s3: the object changed while it was sent");
    }
    let left = end - start + 1;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        left -= chunk.length;
        if (left < 0) {
          throw new HttpError(502, "s3: the service sent more than was asked for");
        }
        yield chunk;
      }
    } finally {
      body.destroy();
    }
    if (left > 0) {
      throw new HttpError(502, "s3: the service sent less than was asked for");
    }
  }

  /** One page of the folder; the root has no prefix. @throws HttpError */
  async #page(path: string, query: Readonly<Record<string, string>>) {
    const prefix = path === "" ? "" : `${path}/`;
    const text = await this.#client.text({ "list-type": "2", "encoding-type": "url", prefix, ...query });
    try {
      const page = await readPage(text, prefix);
      // Without a delimiter, a page also lists keys in subfolders. Any key shows that the folder exists.
      return { ...page, isFolder: /<Contents>/.test(text) };
    } catch (error) {
      throw error instanceof ServerError
        ? new HttpError(502, `s3: a listing: ${messageOf(error)}`, { cause: error })
        : error;
    }
  }
}

/**
 * The file system `s3`: files of a bucket of Amazon S3 or another service with its API. Source: Caddy's
 * plug-in (sagikazarmark/caddy-fs-s3); Amazon S3 API Reference
 */
export const s3FileSystem = defineModule({
  id: "caddy.fs.s3",
  config: s3Schema,
  async provision(config, context): Promise<FileSystem> {
    const settings = filled(config, ["bucket"]);
    if (Boolean(settings.access_key_id) !== Boolean(settings.secret_access_key)) {
      throw new ServerError("MODULE_CONFIG", "access_key_id and secret_access_key come together");
    }
    const key = JSON.stringify(settings);
    const { value } = await context.acquire(clients, key, () => S3Client.open(settings));
    return new S3FileSystem(value);
  },
});
