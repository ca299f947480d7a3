import xxhash, { type XXHashAPI } from "xxhash-wasm";
import { ServerError } from "./errors.ts";

let hash: XXHashAPI | undefined;

/**
 * Loads the hash function, which takes a megabyte of memory. A process must await this function before it makes its
 * first ETag. Later calls return immediately.
 */
export async function prepareEtags(): Promise<void> {
  hash ??= await xxhash();
}

/**
 * XXH64 (seed 0) of a response body, its final newline included, as 16 lower-case hex digits.
 * @throws Error before `prepareEtags`
 */
export function contentHash(body: string): string {
  if (hash === undefined) {
    throw new Error("prepareEtags comes first");
  }
  return hash.h64Raw(Buffer.from(body), 0n).toString(16).padStart(16, "0");
}

/**
 * Makes an ETag of the form `"<path> <hash>"`. @param path path from the client; a path below `/id/` must be resolved
 * before
 */
export function makeEtag(path: string, body: string): string {
  return `"${path} ${contentHash(body)}"`;
}

/** Parses `If-Match`. The header contains its own path, which may name any part of the document. */
export function parseIfMatch(header: string): { readonly path: string; readonly hash: string } {
  if (header.length < 2 || !header.startsWith('"') || !header.endsWith('"')) {
    throw new ServerError("IF_MATCH_MALFORMED", "malformed If-Match header; expect quoted string");
  }
  const words = header
    .slice(1, -1)
    .split(/\s+/)
    .filter((word) => word !== "");
  const [path, hash] = words;
  if (path === undefined || hash === undefined || words.length !== 2) {
    throw new ServerError("IF_MATCH_MALFORMED", 'malformed If-Match header; expect format "<path> <hash>"');
  }
  return { path, hash };
}
