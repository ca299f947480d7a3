import { matchesGlob, normalize, resolve } from "node:path";
import { type DirectiveContext, handlerDirective } from "serverfile/directives/directive";
import {
  type FieldReader,
  type FieldReaders,
  flag,
  integer,
  once,
  readFields,
  row,
  text,
  texts,
  wordsFor,
  wordsOf,
} from "serverfile/values/block-fields";
import { childOf, type Draft, listOf } from "serverfile/values/draft";
import { statusValue } from "serverfile/values/status-value";

/** Words that `sort` accepts: one key, then one direction. */
const sortOptions = new Set(["name", "namedirfirst", "size", "time", "asc", "desc"]);
/** Formats of sidecar files. Any other word is an error, with Caddy's message. */
const precompressedFormats = new Set(["br", "gzip", "zstd"]);

/** Reads `sort name desc`. The combination is checked when the config is loaded. */
const readSort: FieldReader = (cursor, draft) => {
  while (cursor.nextArgument()) {
    if (!sortOptions.has(cursor.value)) {
      throw cursor.error(`unknown sort option '${cursor.value}'`);
    }
    listOf(draft, "sort").push(cursor.value);
  }
};

const limit = integer("file_limit", "file_limit should have an integer value");
/** Reads `file_limit 500`: the limit of entries that a listing reads. A second `file_limit` line is an error. */
const readLimit: FieldReader = (cursor, draft) => {
  if (cursor.countRemainingArguments() !== 1) {
    cursor.remainingArguments();
    throw cursor.error("file_limit should have an integer value");
  }
  if (draft.file_limit !== undefined) {
    throw cursor.error("file_limit is already enabled");
  }
  limit(cursor, draft);
};

/**
 * Reads `plain_time_format "2006-01-02 15:04"`, a layout in Go's notation. The error messages explain how to quote a
 * layout with spaces.
 */
const readTimeFormat: FieldReader = (cursor, draft) => {
  const [layout, ...more] = cursor.remainingArguments();
  if (layout === undefined) {
    throw cursor.error("plain_time_format is missing a time layout argument");
  }
  if (more.length > 0) {
    throw cursor.error(
      "plain_time_format accepts exactly one time layout argument; enclose layouts containing spaces in quotes",
    );
  }
  if (layout === "") {
    throw cursor.error("plain_time_format requires a non-empty time layout argument");
  }
  if (draft.plain_time_format !== undefined) {
    throw cursor.error("plain_time_format is already set");
  }
  draft.plain_time_format = layout;
};

/** Reads `reveal_symlinks`, which takes no words. */
const setSymlinks: FieldReader = (_cursor, draft) => {
  draft.reveal_symlinks = true;
};

/** The lines of `browse`. */
export const browseFields: FieldReaders = {
  reveal_symlinks: once(
    row("reveal_symlinks", setSymlinks, wordsFor(true)),
    "Symlinks path reveal is already enabled",
  ),
  sort: row("sort", readSort, wordsOf.texts),
  file_limit: row("file_limit", readLimit, wordsOf.number),
  plain_time_format: row("plain_time_format", readTimeFormat, wordsOf.text),
};

/** Reads `status 404` or `status {placeholder}`. A number in the text stays a number in the JSON. */
const readStatus: FieldReader = (cursor, draft) => {
  draft.status_code = statusValue(cursor.argument());
};

/**
 * The lines of the directive. Lines without a row (`hide`, `browse`, `precompressed`) are written back by
 * `file-server-lines.ts`.
 */
export const fields: FieldReaders = {
  fs: once(text("fs"), "file system already specified"),
  root: text("root"),
  hide: (cursor, draft) => {
    listOf(draft, "hide").push(...cursor.someArguments());
  },
  index: texts("index_names"),
  browse: (cursor, draft) => {
    if (draft.browse !== undefined) {
      throw cursor.error("browsing is already configured");
    }
    const browse = childOf(draft, "browse");
    if (cursor.nextArgument() && cursor.value !== "") {
      browse.template_file = cursor.value;
    }
    readFields(cursor, browse, browseFields, (word) => `unknown subdirective '${word}'`);
  },
  precompressed: (cursor, draft) => {
    const given = cursor.remainingArguments();
    const order = given.length === 0 ? ["br", "zstd", "gzip"] : given;
    for (const format of order) {
      if (!precompressedFormats.has(format)) {
        const id = `http.precompressed.${format}`;
        throw cursor.error(`getting module named '${id}': module not registered: ${id}`);
      }
      childOf(draft, "precompressed")[format] = {};
    }
    draft.precompressed_order = order;
  },
  status: row("status_code", readStatus, (members, key) => [String(members.take(key))]),
  disable_canonical_uris: flag("canonical_uris", false),
  pass_thru: flag("pass_thru"),
  etag_file_extensions: texts("etag_file_extensions"),
};

/**
 * True when the patterns of `hide` already hide the config file. Patterns without a slash are compared with every part
 * of the path.
 */
function isHidden(file: string, hide: readonly string[]): boolean {
  if (hide.length === 0) {
    return false; // nearly all cases end here, because resolving a path takes time
  }
  const path = resolve(file);
  return hide.some((pattern) => {
    if (!pattern.includes("/")) {
      return path.split("/").some((part) => matchesGlob(part, pattern));
    }
    return path.startsWith(`${pattern}/`) || matchesGlob(path, pattern);
  });
}

/**
 * Hides the config files themselves, which may be inside the root. A path without a folder gets `./`, because a bare
 * name would hide all files of that name.
 */
function hideConfigFiles(context: DirectiveContext, draft: Draft): void {
  for (const file of context.files) {
    const clean = normalize(file);
    const hide = Array.isArray(draft.hide) ? draft.hide.filter((each) => typeof each === "string") : [];
    if (!isHidden(clean, hide)) {
      listOf(draft, "hide").push(clean.includes("/") ? clean : `./${clean}`);
    }
  }
}

/**
 * `file_server [browse] { … }`: serves files below the root. `browse` on the line enables listings; the block
 * configures them. The file that contains the text is hidden.
 * ```
 * root /srv
 * file_server browse {
 *   hide .git
 *   precompressed gzip br
 *   index home.html
 * }
 * ```
 * becomes
 * ```json
 * [
 *   {
 *     "handle": [
 *       { "handler": "vars", "root": "/srv" },
 *       {
 *         "handler": "file_server",
 *         "browse": {},
 *         "hide": [".git", "./Serverfile"],
 *         "precompressed": { "gzip": {}, "br": {} },
 *         "precompressed_order": ["gzip", "br"],
 *         "index_names": ["home.html"]
 *       }
 *     ]
 *   }
 * ]
 * ```
 */
export const fileServer = handlerDirective((context) => {
  const { cursor } = context;
  cursor.next();
  const draft: Draft = { handler: "file_server" };
  const [mode, ...more] = cursor.remainingArguments();
  if (more.length > 0 || (mode !== undefined && mode !== "browse")) {
    throw cursor.argumentError();
  }
  if (mode === "browse") {
    childOf(draft, "browse");
  }
  readFields(cursor, draft, fields, (word) => `unknown subdirective '${word}'`);
  hideConfigFiles(context, draft);
  return draft;
});
