import { inexpressible } from "serverfile/to-text/inexpressible";
import { type Line, line, type Word } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter, Written } from "serverfile/to-text/routes/handler-writer";

/** The only object of a list that must have exactly one element. */
function only(handler: Members, key: string): Members {
  const [first, more] = handler.children(key) ?? [];
  if (first === undefined || more !== undefined) {
    throw inexpressible(handler.pathOf(key), "a directive has one of them");
  }
  return first;
}

/** `uri("strip_prefix", "/api")` is the line `uri strip_prefix /api`. */
function uri(...words: readonly Word[]): Written {
  return { directive: "uri", words };
}

/**
 * One line for each operation, grouped by kind. The handler runs kinds in a fixed order, so the order of
 * the lines has no effect.
 */
function queryLines(query: Members): Line[] {
  const lines: Line[] = [];
  for (const key of query.texts("delete") ?? []) {
    lines.push(line(`-${key}`));
  }
  const operations = (kind: string, toLine: (member: (name: string) => string) => Line) => {
    for (const operation of query.children(kind) ?? []) {
      lines.push(toLine((name) => operation.text(name) ?? ""));
      operation.done("uri query");
    }
  };
  operations("add", (member) => line(`+${member("key")}`, member("val")));
  operations("rename", (member) => line(`${member("key")}>${member("val")}`));
  operations("set", (member) => line(member("key"), member("val")));
  operations("replace", (member) => line(member("key"), member("search_regexp"), member("replace")));
  return lines;
}

/**
 * Writes `rewrite`, `method` or `uri`. A handler that combines the members of two directives cannot be written. The
 * first member selects the directive; the caller refuses members that remain.
 */
export const rewrite: HandlerWriter = (handler) => {
  const [kind] = handler.keys;
  switch (kind) {
    case undefined:
    case "uri":
      return { directive: "rewrite", words: [handler.text("uri") ?? ""] };
    case "method":
      return { directive: "method", words: [handler.text("method") ?? ""] };
    case "strip_path_prefix":
      return uri("strip_prefix", handler.text(kind) ?? "");
    case "strip_path_suffix":
      return uri("strip_suffix", handler.text(kind) ?? "");
    case "uri_substring": {
      const replacement = only(handler, kind);
      const limit = replacement.number("limit");
      const words = [replacement.text("find") ?? "", replacement.text("replace") ?? ""];
      replacement.done("uri replace");
      return uri("replace", ...words, ...(limit === undefined ? [] : [`${limit}`]));
    }
    case "path_regexp": {
      const replacement = only(handler, kind);
      const words = [replacement.text("find") ?? "", replacement.text("replace") ?? ""];
      replacement.done("uri path_regexp");
      return uri("path_regexp", ...words);
    }
    case "query": {
      const query = handler.child("query");
      const lines = query === undefined ? [] : queryLines(query);
      const [first] = lines;
      return lines.length === 1 && first !== undefined
        ? uri("query", ...first.words)
        : { directive: "uri", words: ["query"], block: lines.length === 0 ? undefined : lines };
    }
    default:
      throw inexpressible(handler.pathOf(kind), "a rewrite has no line for it");
  }
};
