import { type Stats, statSync } from "node:fs";
import { posix } from "node:path";
import type { Exchange } from "http-engine/exchange";
import type { HttpMatcher } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { compileFileTemplate, setPlaceholder, type Template } from "http-engine/placeholders";
import { isGlob } from "server-core/glob/path-glob";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { FileSystem, RemoteStats } from "../file-systems/file-system.ts";
import { type NamedFileSystems, openFileSystems } from "../file-systems/filesystems-app.ts";
import { remotePath, statRemoteNow } from "../file-systems/remote-stats.ts";
import { pathBytes } from "../files/path-bytes.ts";
import { pathText } from "../files/path-text.ts";
import { expandGlob, nameExists } from "../files/site-glob.ts";
import { compileFileSystem, compileRoot, ownFiles } from "../files/site-path.ts";

const configSchema = z.strictObject({
  fs: z
    .string()
    .nullish()
    .describe("File system: `default`, the machine's own, or one of the app `caddy.filesystems`."),
  root: pathText().nullish().describe("Folder that files are looked for in ({http.vars.root})."),
  try_files: z
    .array(z.string())
    .nullish()
    .describe(
      "Paths below the root, tried in order ({http.request.uri.path}); wildcards allowed; a final slash asks for a folder; `=404` raises that error.",
    ),
  try_policy: z
    .enum([
      "",
      "first_exist",
      "first_exist_fallback",
      "smallest_size",
      "largest_size",
      "most_recently_modified",
    ])
    .nullish()
    .describe(
      "Which of the files that exist is taken (first_exist); with a fallback the last is taken unseen.",
    ),
  split_path: z
    .array(z.string())
    .nullish()
    .describe(
      "Endings such as `.php`: what comes after the first of them is the remainder, not part of the file.",
    ),
});

/** A possible path of a tried file. */
interface Candidate {
  /** Path of the file on disk. */
  readonly path: string;
  /** Path below the root, for the placeholder `file.relative`. */
  readonly relative: string;
  /** The path after the split, such as the path info of a script. */
  readonly remainder: string;
}

/** One compiled entry of `try_files`. */
interface TriedFile {
  /** Pattern as written in the config. */
  readonly text: string;
  /** Status for a pattern like `=404`; undefined for a file. */
  readonly status: number | undefined;
  /** Template of the pattern. Placeholder values are escaped, so that a request cannot add wildcards. */
  readonly pattern: Template;
  /** Template of the entry as a literal path, without escaping. */
  readonly literal: Template;
}

/** The facts about a file that policies compare. */
type FileStats = Pick<Stats, "isDirectory" | "size" | "mtimeMs">;

/** Where files are looked for. */
interface Place {
  readonly root: string;
  /** True for the machine's own file system. */
  readonly isOwn: boolean;
  /** Undefined for a missing file. @throws PendingMatch while it is not known */
  readonly statOf: (path: string) => FileStats | undefined;
}

function remoteStatOf(stats: RemoteStats | undefined): FileStats | undefined {
  return stats && { isDirectory: () => stats.isFolder, size: stats.size, mtimeMs: stats.modifiedMs ?? 0 };
}

/** Result of `stat`, following links; undefined for a missing or unreadable file. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(pathBytes(path), { throwIfNoEntry: false });
  } catch {
    // An unreadable path, or a file in place of a folder, counts as missing.
    return undefined;
  }
}

/** Parses `=404` to 404; undefined for a file name. */
function errorStatus(text: string): number | undefined {
  return /^=\+?0*[1-9]\d\d$/.test(text) ? Number(text.slice(1)) : undefined;
}

/** Path relative to the root, for the placeholder. */
function relativeTo(root: string, path: string): string {
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/**
 * Removes `.`, `..` and double slashes. A final slash stays, because `/file/.` and `/file/` never name a regular file.
 */
function clean(path: string): string {
  const cleaned = posix.normalize(path);
  return path.endsWith("/") && !cleaned.endsWith("/") ? `${cleaned}/` : cleaned;
}

function withoutFinalSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/**
 * Joins a candidate to the root. The candidate `/` becomes the root without a final slash. `first_exist` does not match
 * it, because the root is a folder. Source: Caddy 2.11, `SanitizedPathJoin`
 */
function pathBelow(root: string, candidate: string): string {
  const path = withoutFinalSlash(posix.join(root, posix.normalize(`/${candidate}`)));
  return candidate.length > 1 && candidate.endsWith("/") && path !== "/" ? `${path}/` : path;
}

/**
 * Compiles a pattern for a path ending, ignoring ASCII case. Without the flag `u`, the flag `i` never matches a letter
 * that is encoded with a different length. An ending at the end of the path splits off nothing, so it is not matched.
 */
function endingPattern(ending: string): RegExp {
  return new RegExp(`${ending.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?=.)`, "is");
}

/**
 * Splits a path after an ending. Only the first occurrence of each ending is used, and only at the end of a segment.
 */
function splitPath(path: string, endings: readonly RegExp[]): { before: string; remainder: string } {
  for (const ending of endings) {
    const match = ending.exec(path);
    const cut = match === null ? -1 : match.index + match[0].length;
    if (cut !== -1 && path[cut] === "/") {
      return { before: path.slice(0, cut), remainder: path.slice(cut) };
    }
  }
  return { before: path, remainder: "" };
}

/** True when file `a` beats `b` under a comparing policy. If both are equal, the file that was tried first wins. */
function bestBy(policy: string, a: FileStats, b: FileStats): boolean {
  if (policy === "largest_size") {
    return a.size > b.size;
  }
  return policy === "smallest_size" ? a.size < b.size : a.mtimeMs > b.mtimeMs;
}

/** Sets the placeholders of a match. @returns true, the result of the match */
function takeFile(exchange: Exchange, candidate: Candidate, isFolder: boolean): true {
  setPlaceholder(exchange, "http.matchers.file.relative", candidate.relative);
  setPlaceholder(exchange, "http.matchers.file.absolute", candidate.path);
  setPlaceholder(exchange, "http.matchers.file.remainder", candidate.remainder);
  setPlaceholder(exchange, "http.matchers.file.type", isFolder ? "directory" : "file");
  return true;
}

/**
 * A configured search for files.
 * | Policy | Matching file |
 * |---|---|
 * | `first_exist` | the first existing file; a final slash requires a folder |
 * | `first_exist_fallback` | like `first_exist`, but the last entry matches without a check |
 * | `smallest_size`, `largest_size` | the smallest or largest existing file |
 * | `most_recently_modified` | the file with the latest change |
 *
 * With `first_exist` and `first_exist_fallback`, a status such as `=404` ends the search with this error.
 */
class FileSearch implements HttpMatcher {
  /** Computes the root folder, from `root` or the variable of that name. */
  readonly #rootOf: ReturnType<typeof compileRoot>;
  /** The file system of a request; undefined for an unknown name. */
  readonly #filesOf: (exchange: Exchange) => FileSystem | typeof ownFiles | undefined;
  /** Patterns of `split_path`. */
  readonly #endings: readonly RegExp[];
  readonly #policy: string;
  /** Entries of `try_files`. Default: the path of the request. */
  readonly #tried: readonly TriedFile[];

  constructor(
    { root, fs, split_path, try_policy, try_files }: z.infer<typeof configSchema>,
    others: NamedFileSystems,
  ) {
    this.#rootOf = compileRoot(root);
    this.#filesOf = compileFileSystem(fs, others);
    this.#endings = (split_path ?? []).map(endingPattern);
    this.#policy = try_policy || "first_exist";
    this.#tried = (try_files ?? ["{http.request.uri.path}"]).map((text) => ({
      text,
      status: errorStatus(text),
      pattern: compileFileTemplate(text, (value) => value.replace(/[*?[\\]/g, "\\$&")),
      literal: compileFileTemplate(text),
    }));
  }

  matches(exchange: Exchange): boolean {
    const files = this.#filesOf(exchange);
    if (files === undefined) {
      return false;
    }
    const place: Place = {
      root: this.#rootOf(exchange),
      isOwn: files === ownFiles,
      statOf:
        files === ownFiles
          ? statOf
          : (path) => remoteStatOf(statRemoteNow(exchange, files, remotePath(path))),
    };
    return this.#policy.startsWith("first_exist")
      ? this.#firstExisting(place, exchange)
      : this.#best(place, exchange);
  }

  /** Implements `first_exist` and `first_exist_fallback`, which use the first match. */
  #firstExisting(place: Place, exchange: Exchange): boolean {
    for (const [index, file] of this.#tried.entries()) {
      if (file.status !== undefined) {
        throw new HttpError(file.status, file.text.slice(1));
      }
      if (this.#policy === "first_exist_fallback" && index === this.#tried.length - 1) {
        return takeFile(exchange, this.#fallbackOf(file, place, exchange), false);
      }
      for (const candidate of this.#candidatesOf(file, place, exchange)) {
        const stats = place.statOf(candidate.path);
        if (stats !== undefined && stats.isDirectory() === candidate.path.endsWith("/")) {
          return takeFile(exchange, candidate, stats.isDirectory());
        }
      }
    }
    return false;
  }

  /** Implements the three policies that compare all files. */
  #best(place: Place, exchange: Exchange): boolean {
    let found: { candidate: Candidate; stats: FileStats } | undefined;
    for (const candidate of this.#tried.flatMap((file) => this.#candidatesOf(file, place, exchange))) {
      const stats = place.statOf(candidate.path);
      if (stats !== undefined && (found === undefined || bestBy(this.#policy, stats, found.stats))) {
        found = { candidate, stats };
      }
    }
    return found !== undefined && takeFile(exchange, found.candidate, found.stats.isDirectory());
  }

  /**
   * Paths of one entry; a glob may match several, on the machine's own file system. An entry whose final slash comes
   * from a placeholder does not require a folder, and yields no path.
   */
  #candidatesOf(file: TriedFile, { root, isOwn }: Place, exchange: Exchange): Candidate[] {
    const { before, remainder } = splitPath(
      clean((isOwn ? file.pattern : file.literal)(exchange)),
      this.#endings,
    );
    if (before !== "/" && before.endsWith("/") && !file.text.endsWith("/")) {
      return [];
    }
    const paths =
      isOwn && isGlob(before)
        ? expandGlob(root, posix.normalize(`/${before}`).slice(1))
        : [pathBelow(root, before)];
    return paths.map((path) => ({ path, relative: relativeTo(root, path), remainder }));
  }

  /** The candidate for the last entry of `first_exist_fallback`: an existing path, or else the text itself. */
  #fallbackOf(file: TriedFile, place: Place, exchange: Exchange): Candidate {
    const literal = this.#literalOf(file, place.root, exchange);
    if (!place.isOwn) {
      return literal;
    }
    const [first] = this.#candidatesOf(file, place, exchange);
    if (first === undefined || (first.path === literal.path && first.remainder === literal.remainder)) {
      return literal;
    }
    return nameExists(first.path) ? first : literal;
  }

  #literalOf(file: TriedFile, root: string, exchange: Exchange): Candidate {
    const text = withoutFinalSlash(posix.normalize(file.literal(exchange)));
    const { before, remainder } = splitPath(text, this.#endings);
    const path = pathBelow(root, file.text.endsWith("/") ? `${before}/` : before);
    return { path, relative: relativeTo(root, path), remainder };
  }
}

/** Searches for files. Results are in `{http.matchers.file.*}`. Source: Caddy 2.11 */
export const fileMatcher = defineModule({
  id: "http.matchers.file",
  config: configSchema,
  provision: async (config, context): Promise<HttpMatcher> =>
    new FileSearch(config, await openFileSystems(context, config.fs)),
});
