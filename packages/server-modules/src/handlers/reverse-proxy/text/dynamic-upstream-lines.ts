import { field, fieldLines } from "serverfile/to-text/lines/field-lines";
import { type Line, lineWith, type Word } from "serverfile/to-text/lines/line";
import type { Members } from "serverfile/to-text/members";
import { srvFields } from "./dynamic-upstreams-text.ts";

/** Lines of both sources. Versions are written by name. */
const fields = {
  ...srvFields,
  versions: field("versions", (members, key) => {
    const versions = members.child(key);
    return versions?.keys.filter((version) => versions.boolean(version) === true);
  }),
};

/**
 * Writes a source of upstreams: `a name port`, `srv name`, `multi { … }`. @param before words that precede the source
 * on the line
 */
export function dynamicUpstreamWords(source: Members, before: readonly Word[]): Line {
  const kind = source.text("source") ?? "";
  const name = source.text("name");
  const port = source.text("port");
  const address = [
    ...(name === undefined ? (port === undefined ? [] : [""]) : [name]),
    ...(port === undefined ? [] : [port]),
  ];
  const lines = fieldLines(source, fields);
  for (const each of source.children("sources") ?? []) {
    lines.push(dynamicUpstreamWords(each, []));
    each.done("a source of upstreams");
  }
  return lineWith([...before, kind, ...address], lines);
}
