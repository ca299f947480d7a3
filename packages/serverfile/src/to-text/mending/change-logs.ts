import type { ConfigDraft } from "../config-draft.ts";
import { type Line, line, linesOf } from "../lines/line.ts";
import { withSite } from "./change-sites.ts";
import { withAt } from "./list-changes.ts";

/** Drafts in which a site has a log more, or one of its logs is for no host. @param names of the config's logs */
export function* changedLogs(draft: ConfigDraft, names: readonly string[]): Generator<ConfigDraft> {
  const silent = line("no_hostname");
  const more: Line[] = [line("log"), { words: ["log"], block: [silent] }];
  for (const name of names) {
    more.push(line("log", name), { words: ["log", name], block: [silent] });
  }
  for (const [index, site] of draft.sites.entries()) {
    for (const each of more) {
      yield withSite(draft, index, { ...site, head: [...site.head, each] });
      yield withSite(draft, index, { ...site, head: [each, ...site.head] });
    }
    for (const [at, { words, block }] of site.head.entries()) {
      if (words[0] === "log") {
        const inner = block === undefined ? [] : linesOf(block);
        const { hosts, rest } = apart(inner);
        const changed = hosts.length > 0 ? rest : [silent, ...rest];
        yield withSite(draft, index, { ...site, head: withAt(site.head, at, { words, block: changed }) });
        const unnamed = words.length === 1 ? names.map((name) => ["log", name]) : [["log"]];
        for (const others of unnamed) {
          yield withSite(draft, index, {
            ...site,
            head: withAt(site.head, at, { words: others, block: inner }),
          });
        }
      }
    }
  }
}

function apart(lines: readonly Line[]): { hosts: Line[]; rest: Line[] } {
  const isHosts = ({ words: [name] }: Line) => name === "hostnames" || name === "no_hostname";
  return { hosts: lines.filter(isHosts), rest: lines.filter((each) => !isHosts(each)) };
}
