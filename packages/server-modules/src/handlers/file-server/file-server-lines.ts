import { inexpressible } from "serverfile/to-text/inexpressible";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf, type Line, line, lineWith } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { browseFields, fields } from "./file-server-directive.ts";

/** Writes the line `browse`: the template follows the name, other settings are in braces. */
function browseLine(browse: Members): Line {
  const template = browse.text("template_file");
  return lineWith(
    ["browse", ...(template === undefined ? [] : [template])],
    fieldLines(browse, browseFields),
  );
}

/**
 * Writes one line for all precompressed formats. A second line contains the order of preference, if the first line does
 * not imply it.
 */
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

/**
 * Each serverfile with `file_server` hides its own file automatically, so no line is written for that file. Therefore a
 * config that hides nothing cannot be written as this directive.
 */
export const fileServer: HandlerWriter = (handler, { hiddenFile }) => {
  const hide = handler.texts("hide") ?? [];
  if (hide.length === 0) {
    throw inexpressible(
      handler.pathOf("hide"),
      `the directive file_server always hides the file it stands in, such as ${hiddenFile}`,
    );
  }
  const lines = fieldLines(handler, fields);
  const hidden = hide.at(-1) === hiddenFile ? hide.slice(0, -1) : hide;
  if (hidden.length > 0) {
    lines.push({ words: ["hide", ...hidden] });
  }
  const browse = handler.child("browse");
  const browsing = browse === undefined ? undefined : browseLine(browse);
  const isShort = browsing?.words.length === 1 && browsing.block === undefined;
  if (browsing !== undefined && !isShort) {
    lines.push(browsing);
  }
  lines.push(...precompressedLines(handler));
  return { directive: "file_server", words: isShort ? ["browse"] : [], ...blockOf(lines) };
};
