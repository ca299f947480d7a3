import { type Stats, statSync } from "node:fs";
import { posix } from "node:path";
import type { Exchange } from "http-engine/exchange";
import type { HttpMatcher } from "http-engine/handler";
import { HttpError } from "http-engine/http-error";
import { compileFileTemplate, setPlaceholder, type Template } from "http-engine/placeholders";
import { isGlob } from "server-core/glob/path-glob";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import { pathBytes } from "../files/path-bytes.ts";
import { expandGlob, nameExists } from "../files/site-glob.ts";
import { compileFileSystem, compileRoot } from "../files/site-path.ts";

const configSchema = z.strictObject({
  fs: z.string().nullish().describe("File system; only the machine's own, `default`, exists."),
  root: z.string().nullish().describe("Folder that files are looked for in ({http.vars.root})."),
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

/** A place where a tried file may be. */
interface Candidate {
  /** Path of the file on disk. */
  readonly path: string;
  /** Path below the root, for the placeholder `file.relative`. */
  readonly relative: string;
  /** Path behind the split, such as the path info of a script. */
  readonly remainder: string;
}

/** One entry of `try_files`, prepared. */
interface TriedFile {
  /** Pattern as the config has it. */
  readonly text: string;
  /** Status for a pattern like `=404`; undefined for a file. */
  readonly status: number | undefined;
  /** Values of placeholders are escaped: a request cannot bring wildcards in. */
  readonly pattern: Template;
  /** Pattern with its placeholders. */
  readonly literal: Template;
}

/** Facts about a file, following links; undefined where a visitor could not have it. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(pathBytes(path), { throwIfNoEntry: false });
  } catch {
    // Not readable, or a file where a folder should be: not there for a visitor.
    return undefined;
  }
}

/** `=404` is 404; undefined for a name of a file. */
function errorStatus(text: string): number | undefined {
  return /^=\+?0*[1-9]\d\d$/.test(text) ? Number(text.slice(1)) : undefined;
}

/** Path of a file below the root, as the placeholder has it. */
function relativeTo(root: string, path: string): string {
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/** Removes `.`, `..` and double slashes. A final slash stays: `/file/.` and `/file/` never name a regular file. */
function clean(path: string): string {
  const cleaned = posix.normalize(path);
  return path.endsWith("/") && !cleaned.endsWith("/") ? `${cleaned}/` : cleaned;
}

function withoutFinalSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/**
 * A candidate's place on the disk. The candidate `/` becomes the root without a slash, which is a folder that does not
 * end in one, so no policy that asks for existence takes it.
 * Source: the public model (Caddy 2.11), `SanitizedPathJoin`
 */
function pathBelow(root: string, candidate: string): string {
  const path = withoutFinalSlash(posix.join(root, posix.normalize(`/${candidate}`)));
  return candidate.length > 1 && candidate.endsWith("/") && path !== "/" ? `${path}/` : path;
}

/**
 * An ending of a path's file, in any case of its ASCII letters. Without the flag `u`, `i` never takes a letter for one of
 * another length. An ending at the end of the path cuts nothing off, so it does not count.
 */
function endingPattern(ending: string): RegExp {
  return new RegExp(`${ending.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?=.)`, "is");
}

/** Cuts a path behind an ending. Only the first place of each ending is tried: there a segment must end. */
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

/** Whether `a` beats `b` under a policy that compares. The first tried of equal files stays. */
function bestBy(policy: string, a: Stats, b: Stats): boolean {
  if (policy === "largest_size") {
    return a.size > b.size;
  }
  return policy === "smallest_size" ? a.size < b.size : a.mtimeMs > b.mtimeMs;
}

/** Sets the placeholders of a match. @returns true, as the match itself */
function takeFile(exchange: Exchange, candidate: Candidate, isFolder: boolean): true {
  setPlaceholder(exchange, "http.matchers.file.relative", candidate.relative);
  setPlaceholder(exchange, "http.matchers.file.absolute", candidate.path);
  setPlaceholder(exchange, "http.matchers.file.remainder", candidate.remainder);
  setPlaceholder(exchange, "http.matchers.file.type", isFolder ? "directory" : "file");
  return true;
}

/**
 * A search for files, as a config has it.
 * | Policy | Takes |
 * |---|---|
 * | `first_exist` | the first that exists, as file or folder as its slash says |
 * | `first_exist_fallback` | the same, but the last entry without a look |
 * | `smallest_size`, `largest_size` | the smallest or largest of all that exist |
 * | `most_recently_modified` | the one that was changed last |
 *
 * A status such as `=404` ends a search for the first one with that error.
 */
class FileSearch implements HttpMatcher {
  /** Folder of a request, from `root` or the variable of that name. */
  readonly #rootOf: ReturnType<typeof compileRoot>;
  readonly #hasFileSystem: ReturnType<typeof compileFileSystem>;
  /** Patterns of `split_path`. */
  readonly #endings: readonly RegExp[];
  readonly #policy: string;
  /** Entries of `try_files`; without any, the path of the request. */
  readonly #tried: readonly TriedFile[];

  constructor({ root, fs, split_path, try_policy, try_files }: z.infer<typeof configSchema>) {
    this.#rootOf = compileRoot(root);
    this.#hasFileSystem = compileFileSystem(fs);
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
    if (!this.#hasFileSystem(exchange)) {
      return false;
    }
    const root = this.#rootOf(exchange);
    return this.#policy.startsWith("first_exist")
      ? this.#firstExisting(root, exchange)
      : this.#best(root, exchange);
  }

  /** The two policies that take the first match. */
  #firstExisting(root: string, exchange: Exchange): boolean {
    for (const [index, file] of this.#tried.entries()) {
      if (file.status !== undefined) {
        throw new HttpError(file.status, file.text.slice(1));
      }
      if (this.#policy === "first_exist_fallback" && index === this.#tried.length - 1) {
        return takeFile(exchange, this.#fallbackOf(file, root, exchange), false);
      }
      for (const candidate of this.#candidatesOf(file, root, exchange)) {
        const stats = statOf(candidate.path);
        if (stats !== undefined && stats.isDirectory() === candidate.path.endsWith("/")) {
          return takeFile(exchange, candidate, stats.isDirectory());
        }
      }
    }
    return false;
  }

  /** The three policies that compare all files. */
  #best(root: string, exchange: Exchange): boolean {
    let found: { candidate: Candidate; stats: Stats } | undefined;
    for (const candidate of this.#tried.flatMap((file) => this.#candidatesOf(file, root, exchange))) {
      const stats = statOf(candidate.path);
      if (stats !== undefined && (found === undefined || bestBy(this.#policy, stats, found.stats))) {
        found = { candidate, stats };
      }
    }
    return found !== undefined && takeFile(exchange, found.candidate, found.stats.isDirectory());
  }

  /**
   * Places of one entry: several for a glob. An entry whose placeholder ends in a slash asks for no folder, and
   * has none.
   */
  #candidatesOf(file: TriedFile, root: string, exchange: Exchange): Candidate[] {
    const { before, remainder } = splitPath(clean(file.pattern(exchange)), this.#endings);
    if (before !== "/" && before.endsWith("/") && !file.text.endsWith("/")) {
      return [];
    }
    const paths = isGlob(before)
      ? expandGlob(root, posix.normalize(`/${before}`).slice(1))
      : [pathBelow(root, before)];
    return paths.map((path) => ({ path, relative: relativeTo(root, path), remainder }));
  }

  /** The last entry of `first_exist_fallback`: what exists, else its text as it is. */
  #fallbackOf(file: TriedFile, root: string, exchange: Exchange): Candidate {
    const literal = this.#literalOf(file, root, exchange);
    const [first] = this.#candidatesOf(file, root, exchange);
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

/** Looks for files. Its results are in `{http.matchers.file.*}`. Source: the public model (Caddy 2.11) */
export const fileMatcher = defineModule({
  id: "http.matchers.file",
  config: configSchema,
  provision: (config): HttpMatcher => new FileSearch(config),
});
