import { type Stats, statSync } from "node:fs";
import { posix } from "node:path";
import { z } from "zod";
import { defineModule } from "../../core/modules/module.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { HttpMatcher } from "../../http/handler.ts";
import { HttpError } from "../../http/http-error.ts";
import {
  compileMappedTemplate,
  compileTemplate,
  setPlaceholder,
  type Template,
} from "../../http/placeholders.ts";
import { expandGlob } from "../files/site-glob.ts";
import { compileFileSystem, compileRoot, joinSitePath } from "../files/site-path.ts";

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

interface Candidate {
  readonly path: string;
  readonly relative: string;
  readonly remainder: string;
}

interface TriedFile {
  readonly text: string;
  readonly status: number | undefined;
  /** Values of placeholders are escaped: a request cannot bring wildcards in. */
  readonly pattern: Template;
  readonly literal: Template;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not readable, or a file where a folder should be: not there for a visitor.
    return undefined;
  }
}

function errorStatus(text: string): number | undefined {
  return /^=[1-9]\d\d$/.test(text) ? Number(text.slice(1)) : undefined;
}

function clean(path: string): string {
  const cleaned = posix.normalize(path);
  return path.endsWith("/") || !cleaned.endsWith("/") || cleaned === "/" ? cleaned : cleaned.slice(0, -1);
}

/** Cuts a path after the first ending that a segment has. Case does not count. */
function splitPath(path: string, endings: readonly string[]): { before: string; remainder: string } {
  const lower = path.toLowerCase();
  for (const ending of endings) {
    const at = lower.indexOf(ending.toLowerCase());
    const cut = at + ending.length;
    if (at !== -1 && (cut === path.length || path[cut] === "/")) {
      return { before: path.slice(0, cut), remainder: path.slice(cut) };
    }
  }
  return { before: path, remainder: "" };
}

function bestBy(policy: string, a: Stats, b: Stats): boolean {
  if (policy === "largest_size") {
    return a.size > b.size;
  }
  return policy === "smallest_size" ? a.size < b.size : a.mtimeMs > b.mtimeMs;
}

function takeFile(exchange: Exchange, candidate: Candidate, isFolder: boolean): true {
  setPlaceholder(exchange, "http.matchers.file.relative", candidate.relative);
  setPlaceholder(exchange, "http.matchers.file.absolute", candidate.path);
  setPlaceholder(exchange, "http.matchers.file.remainder", candidate.remainder);
  setPlaceholder(exchange, "http.matchers.file.type", isFolder ? "directory" : "file");
  return true;
}

/** Looks for files. What it found is in `{http.matchers.file.*}`. Source: the public model (Caddy 2.11) */
export const fileMatcher = defineModule({
  id: "http.matchers.file",
  config: configSchema,
  provision(config): HttpMatcher {
    const rootOf = compileRoot(config.root);
    const checkFileSystem = compileFileSystem(config.fs);
    const endings = config.split_path ?? [];
    const policy = config.try_policy || "first_exist";
    const tried: TriedFile[] = (config.try_files ?? ["{http.request.uri.path}"]).map((text) => ({
      text,
      status: errorStatus(text),
      pattern: compileMappedTemplate(text, (value) => value.replace(/[*?[\\]/g, "\\$&")),
      literal: compileTemplate(text),
    }));

    function candidatesOf(file: TriedFile, root: string, exchange: Exchange): Candidate[] {
      const { before, remainder } = splitPath(clean(file.pattern(exchange)), endings);
      if (before !== "/" && before.endsWith("/") && !file.text.endsWith("/")) {
        return [];
      }
      return expandGlob(root, posix.normalize(`/${before}`)).map((path) => ({
        path,
        relative: path.slice(root === "/" || root === "." ? 0 : root.length),
        remainder,
      }));
    }

    function literalOf(file: TriedFile, root: string, exchange: Exchange): Candidate {
      const { before, remainder } = splitPath(clean(file.literal(exchange)), endings);
      const path = joinSitePath(root, before);
      return { path, relative: path.slice(root.length), remainder };
    }

    function firstExisting(root: string, exchange: Exchange): boolean {
      for (const [index, file] of tried.entries()) {
        if (file.status !== undefined) {
          throw new HttpError(file.status, file.text.slice(1));
        }
        const isFallback = policy === "first_exist_fallback" && index === tried.length - 1;
        const candidates = candidatesOf(file, root, exchange);
        if (isFallback) {
          return takeFile(exchange, candidates[0] ?? literalOf(file, root, exchange), false);
        }
        for (const candidate of candidates) {
          const stats = statOf(candidate.path);
          if (stats !== undefined && stats.isDirectory() === candidate.path.endsWith("/")) {
            return takeFile(exchange, candidate, stats.isDirectory());
          }
        }
      }
      return false;
    }

    function best(root: string, exchange: Exchange): boolean {
      let found: { candidate: Candidate; stats: Stats } | undefined;
      for (const candidate of tried.flatMap((file) => candidatesOf(file, root, exchange))) {
        const stats = statOf(candidate.path);
        if (stats !== undefined && (found === undefined || bestBy(policy, stats, found.stats))) {
          found = { candidate, stats };
        }
      }
      return found !== undefined && takeFile(exchange, found.candidate, found.stats.isDirectory());
    }

    return {
      matches(exchange) {
        checkFileSystem(exchange);
        const root = rootOf(exchange);
        return policy.startsWith("first_exist") ? firstExisting(root, exchange) : best(root, exchange);
      },
    };
  },
});
