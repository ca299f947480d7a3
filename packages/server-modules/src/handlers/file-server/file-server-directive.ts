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

const sortOptions = new Set(["name", "namedirfirst", "size", "time", "asc", "desc"]);
const precompressedFormats = new Set(["br", "gzip", "zstd"]);

const readSort: FieldReader = (cursor, draft) => {
  while (cursor.nextArgument()) {
    if (!sortOptions.has(cursor.value)) {
      throw cursor.error(`unknown sort option '${cursor.value}'`);
    }
    listOf(draft, "sort").push(cursor.value);
  }
};

const limit = integer("file_limit", "file_limit should have an integer value");
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

const readStatus: FieldReader = (cursor, draft) => {
  draft.status_code = statusValue(cursor.argument());
};

/** The lines of the directive. */
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

function isHidden(file: string, hide: readonly string[]): boolean {
  if (hide.length === 0) {
    return false; // as nearly always: to resolve a path takes its time
  }
  const path = resolve(file);
  return hide.some((pattern) => {
    if (!pattern.includes("/")) {
      return path.split("/").some((part) => matchesGlob(part, pattern));
    }
    return path.startsWith(`${pattern}/`) || matchesGlob(path, pattern);
  });
}

/** Hides the files of the config itself, which may lie in the root. */
function hideConfigFiles(context: DirectiveContext, draft: Draft): void {
  for (const file of context.files) {
    const clean = normalize(file);
    const hide = Array.isArray(draft.hide) ? draft.hide.filter((each) => typeof each === "string") : [];
    if (!isHidden(clean, hide)) {
      listOf(draft, "hide").push(clean.includes("/") ? clean : `./${clean}`);
    }
  }
}

/** `file_server [browse] { … }`: serves files below the root. */
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
