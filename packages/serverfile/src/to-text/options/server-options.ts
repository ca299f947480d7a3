import { proxyProtocolFields } from "../../modules/listeners.ts";
import { serverFields, serverLogFields, timeoutFields } from "../../modules/server-fields.ts";
import { rangeWords } from "../../values/private-ranges.ts";
import { duration, fieldLines, integer, part, text, textEach } from "../lines/field-lines.ts";
import { given, type Line, line, lineWith } from "../lines/line.ts";
import type { Members } from "../members.ts";
import type { ServerDraft } from "../sites/site-draft.ts";
import type { WrapperWriters } from "./option-writer.ts";

/** The line of a listener wrapper, by the module's writer, or as `proxy_protocol { … }`. */
function wrapperLine(wrapper: Members, writers: WrapperWriters): Line {
  const name = wrapper.text("wrapper") ?? "";
  const written =
    writers.wrapperWriterOf(name)?.(wrapper, writers.matcherLines) ??
    lineWith([name], fieldLines(wrapper, proxyProtocolFields));
  wrapper.done("a listener wrapper");
  return written;
}

/** Lines in the block of an IP source. */
const sourceFields = {
  interval: duration("interval"),
  timeout: duration("timeout"),
  url: textEach("url"),
  retries: integer("retries"),
  cache_file: text("cache_file"),
};

/**
 * An IP source: `static private_ranges`, `cloudflare { interval 12h }`, or `combine { … }` with one source per line.
 */
function sourceLine(words: readonly string[], source: Members): Line {
  const block = [
    ...fieldLines(source, sourceFields),
    ...(source.children("parts") ?? []).map((each) => sourceLine([], each)),
  ];
  const name = source.text("source") ?? "";
  return lineWith([...words, name, ...rangeWords(source.texts("ranges") ?? [])], block);
}

const proxiesFields = {
  trusted_proxies: part("trusted_proxies", (source, name) => sourceLine([name], source)),
};

/** Lines for one server in its block `servers`. */
function optionLines(members: Members, writers: WrapperWriters): Line[] {
  const timeouts = fieldLines(members, timeoutFields);
  const wrappers = members.children("listener_wrappers")?.map((each) => wrapperLine(each, writers));
  return [
    ...given(wrappers).map((block) => ({ words: ["listener_wrappers"], block })),
    ...(timeouts.length === 0 ? [] : [lineWith(["timeouts"], timeouts)]),
    ...fieldLines(members, { ...serverFields, ...proxiesFields }),
    ...given(members.child("logs")).flatMap((logs) => fieldLines(logs, serverLogFields)),
  ];
}

/** The generated names of servers, such as `srv0`, in the order of their addresses. */
function expectedNames(servers: readonly ServerDraft[]): string[] {
  const ordered = [...servers].sort((a, b) => ((a.listen[0] ?? "") < (b.listen[0] ?? "") ? -1 : 1));
  return servers.map((server) =>
    /^srv\d+$/.test(server.name) ? server.name : `srv${ordered.indexOf(server)}`,
  );
}

/** Writes the option `servers`: one block if all servers have the same lines, otherwise one block for each server. */
export function serverOptionLines(servers: readonly ServerDraft[], writers: WrapperWriters): Line[] {
  const names = expectedNames(servers);
  const each = servers.map(({ members, listen, name }, index) => {
    const lines = optionLines(members, writers);
    if (name !== names[index]) {
      lines.unshift(line("name", name));
    }
    return { listen, lines };
  });
  const [first] = each;
  const texts = new Set(each.map(({ lines }) => JSON.stringify(lines)));
  if (first === undefined || each.every(({ lines }) => lines.length === 0)) {
    return [];
  }
  if (texts.size === 1 && first.lines[0]?.words[0] !== "name") {
    return [{ words: ["servers"], block: first.lines }];
  }
  return each
    .filter(({ lines }) => lines.length > 0)
    .map(({ listen, lines }) => ({ words: ["servers", listen[0] ?? ""], block: lines }));
}
