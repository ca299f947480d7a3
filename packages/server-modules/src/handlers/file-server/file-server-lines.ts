import { inexpressible } from "serverfile/to-text/inexpressible";
import { field, fieldLines, flag, integer, text, texts } from "serverfile/to-text/lines/field-lines";
import { type Line, line, lineWith } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";

function browseLine(browse: Members): Line {
  const template = browse.text("template_file");
  const lines = fieldLines(browse, {
    reveal_symlinks: flag("reveal_symlinks"),
    sort: texts("sort"),
    file_limit: integer("file_limit"),
    plain_time_format: text("plain_time_format"),
  });
  return lineWith(["browse", ...(template === undefined ? [] : [template])], lines);
}

/** A line for all formats; a second one says their order where that does not have them all. */
function precompressedLines(handler: Members): Line[] {
  const formats = handler.child("precompressed");
  const order = handler.texts("precompressed_order");
  if (formats === undefined && order === undefined) {
    return [];
  }
  const names = formats?.keys ?? [];
  for (const name of names) {
    formats?.child(name);
  }
  const others = names.filter((name) => order?.includes(name) !== true);
  const first = others.length === 0 ? [] : [line("precompressed", ...others)];
  return [
    ...first,
    lineWith(["precompressed", ...(order?.join() === "br,zstd,gzip" ? [] : (order ?? []))], []),
  ];
}

/** `file_server`: the file of the config itself is hidden without a line. */
export const fileServer: HandlerWriter = (handler, { hiddenFile }) => {
  const hide = handler.texts("hide") ?? [];
  if (hide.length === 0) {
    throw inexpressible(
      handler.pathOf("hide"),
      `the directive file_server always hides the file it stands in, such as ${hiddenFile}`,
    );
  }
  const lines = fieldLines(handler, { fs: text("fs"), root: text("root") });
  const hidden = hide.at(-1) === hiddenFile ? hide.slice(0, -1) : hide;
  if (hidden.length > 0) {
    lines.push({ words: ["hide", ...hidden] });
  }
  lines.push(...fieldLines(handler, { index: texts("index_names") }));
  const browse = handler.child("browse");
  const browsing = browse === undefined ? undefined : browseLine(browse);
  const isShort = browsing?.words.length === 1 && browsing.block === undefined;
  if (browsing !== undefined && !isShort) {
    lines.push(browsing);
  }
  lines.push(
    ...precompressedLines(handler),
    ...fieldLines(handler, {
      status: field("status_code", (members, key) => [String(members.take(key))]),
      disable_canonical_uris: flag("canonical_uris", false),
      pass_thru: flag("pass_thru"),
      etag_file_extensions: texts("etag_file_extensions"),
    }),
  );
  return {
    directive: "file_server",
    words: isShort ? ["browse"] : [],
    block: lines.length === 0 ? undefined : lines,
  };
};
