import type { Exchange } from "http-engine/exchange";
import { PendingMatch } from "http-engine/pending-match";
import type { FileSystem, RemoteStats } from "./file-system.ts";

/** The path as file systems take it: without slashes at both ends, "" for the root. */
export function remotePath(path: string): string {
  const plain = path.replace(/^(?:\.?\/)+/, "").replace(/\/+$/, "");
  return plain === "." ? "" : plain;
}

/** Result of one look-up; the error, when it failed. */
type Found = { readonly stats: RemoteStats | undefined } | { readonly error: unknown };

/** Results of the look-ups of each request, so that a matcher and the handlers after it ask once. */
const found = new WeakMap<Exchange, Map<FileSystem, Map<string, Found>>>();

function foundIn(exchange: Exchange, files: FileSystem): Map<string, Found> {
  const all = found.get(exchange) ?? new Map<FileSystem, Map<string, Found>>();
  found.set(exchange, all);
  const known = all.get(files) ?? new Map<string, Found>();
  all.set(files, known);
  return known;
}

/** @throws the error of a look-up that failed */
function statsOrError(result: Found): RemoteStats | undefined {
  if ("error" in result) {
    throw result.error;
  }
  return result.stats;
}

async function lookUp(exchange: Exchange, files: FileSystem, path: string): Promise<Found> {
  const result = await files.stat(path).then(
    (stats): Found => ({ stats }),
    (error: unknown): Found => ({ error }),
  );
  foundIn(exchange, files).set(path, result);
  return result;
}

/** Facts about a path. Each request looks a path up only once. @throws HttpError */
export async function statRemote(
  exchange: Exchange,
  files: FileSystem,
  path: string,
): Promise<RemoteStats | undefined> {
  return statsOrError(foundIn(exchange, files).get(path) ?? (await lookUp(exchange, files, path)));
}

/** Like {@link statRemote}, for matchers. @throws PendingMatch while the facts are not known yet; HttpError */
export function statRemoteNow(exchange: Exchange, files: FileSystem, path: string): RemoteStats | undefined {
  const known = foundIn(exchange, files).get(path);
  if (known === undefined) {
    throw new PendingMatch(lookUp(exchange, files, path));
  }
  return statsOrError(known);
}
