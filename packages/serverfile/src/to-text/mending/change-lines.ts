import type { ConfigDraft } from "../config-draft.ts";
import { type Line, linesOf, lineWith, textOf } from "../lines/line.ts";
import { withSite } from "./change-sites.ts";
import { everyMove, withAt } from "./list-changes.ts";

function innerOf({ block }: Line): readonly Line[] {
  return block === undefined ? [] : linesOf(block);
}

/** Lists of lines without one of them, or without one of the lines or words in one of them. */
export function* lessLines(lines: readonly Line[]): Generator<Line[]> {
  for (const [index, each] of lines.entries()) {
    yield withAt(lines, index, undefined);
    for (const inner of lessLines(innerOf(each))) {
      yield withAt(lines, index, lineWith(each.words, inner));
    }
    for (let word = 1; word < each.words.length; word++) {
      const words = each.words.filter((_word, at) => at !== word);
      yield withAt(lines, index, { ...each, words });
    }
  }
}

/** Lists of lines in which two lines, or two words of one, have changed places. */
function* turnedLines(lines: readonly Line[]): Generator<Line[]> {
  yield* everyMove(lines);
  for (const [index, each] of lines.entries()) {
    const [name = "", ...words] = each.words;
    for (const others of everyMove(words)) {
      yield withAt(lines, index, { ...each, words: [name, ...others] });
    }
    for (const inner of everyMove(innerOf(each))) {
      yield withAt(lines, index, lineWith(each.words, inner));
    }
  }
}

function isNamed({ words: [name] }: Line, ...names: readonly string[]): boolean {
  return names.includes(textOf(name ?? ""));
}

/** A site's head with something more about certificates: words of a line of its own, or a line in its block. */
function withCertificates(head: readonly Line[], more: Line, isInner: boolean): Line[] {
  if (!isInner) {
    return [...head, more];
  }
  const at = head.findIndex((each) => isNamed(each, "tls"));
  const present = head[at];
  return present === undefined
    ? [...head, { words: ["tls"], block: [more] }]
    : withAt(head, at, { words: present.words, block: [...innerOf(present), more] });
}

/** Drafts in which a site says more about certificates. @param said lines of `tls`, and lines in its block */
export function* moreCertificates(
  draft: ConfigDraft,
  said: { readonly lines: readonly Line[]; readonly inner: readonly Line[] },
): Generator<ConfigDraft> {
  for (const [index, site] of draft.sites.entries()) {
    for (const inner of said.inner) {
      yield withSite(draft, index, { ...site, head: withCertificates(site.head, inner, true) });
    }
    for (const more of said.lines) {
      const others = site.head.filter((each) => !isNamed(each, "tls"));
      yield withSite(draft, index, { ...site, head: [...site.head, more] });
      yield withSite(draft, index, { ...site, head: [...others, more] });
    }
  }
}

/** The certificate lines of a draft's sites; each may fit another site too. */
export function certificateLinesOf({ sites }: ConfigDraft): { lines: Line[]; inner: Line[] } {
  const lines = sites.flatMap(({ head }) => head.filter((each) => isNamed(each, "tls")));
  return { lines: distinct(lines), inner: distinct(lines.flatMap(innerOf)) };
}

function distinct(lines: readonly Line[]): Line[] {
  return [...new Map(lines.map((each) => [JSON.stringify(each), each])).values()];
}

/** Drafts in which a site says less, or says it in another order. @param names of the lines that may change */
export function* changedHeads(draft: ConfigDraft, names: readonly string[]): Generator<ConfigDraft> {
  for (const [index, site] of draft.sites.entries()) {
    const kept = site.head.filter((each) => !isNamed(each, ...names));
    const open = site.head.filter((each) => isNamed(each, ...names));
    for (const changed of [...lessLines(open), ...turnedLines(open)]) {
      yield withSite(draft, index, { ...site, head: [...kept, ...changed] });
    }
  }
}

/** Drafts in which a line of one site stands in another, alone or as well. @param names of the lines that may move */
export function* exchangedHeads(draft: ConfigDraft, names: readonly string[]): Generator<ConfigDraft> {
  for (const [from, site] of draft.sites.entries()) {
    for (const [at, each] of site.head.entries()) {
      for (const [to, other] of draft.sites.entries()) {
        if (to !== from && isNamed(each, ...names)) {
          for (const head of [
            [...other.head, each],
            [each, ...other.head],
          ]) {
            const copied = withSite(draft, to, { ...other, head });
            yield copied;
            yield withSite(copied, from, { ...site, head: withAt(site.head, at, undefined) });
          }
        }
      }
    }
  }
}

/** Drafts in which a line about certificates in the block of one site stands in that of another. */
export function* exchangedCertificates(draft: ConfigDraft): Generator<ConfigDraft> {
  for (const [from, site] of draft.sites.entries()) {
    for (const [at, each] of site.head.entries()) {
      const inner = isNamed(each, "tls") ? innerOf(each) : [];
      for (const [index, moved] of inner.entries()) {
        const less = lineWith(each.words, withAt(inner, index, undefined));
        const without = withSite(draft, from, { ...site, head: withAt(site.head, at, less) });
        for (const [to, other] of draft.sites.entries()) {
          if (to !== from) {
            yield withSite(without, to, { ...other, head: withCertificates(other.head, moved, true) });
          }
        }
      }
    }
  }
}

/** Drafts with other options: one less, one more, or in another order. @param more that could be said */
export function* changedOptions(draft: ConfigDraft, more: readonly Line[]): Generator<ConfigDraft> {
  for (const options of [...lessLines(draft.options), ...everyMove(draft.options)]) {
    yield { ...draft, options };
  }
  for (const each of more) {
    const others = draft.options.filter(({ words: [name] }) => name !== each.words[0]);
    yield { ...draft, options: [...others, each] };
    if (others.length < draft.options.length) {
      yield { ...draft, options: [...draft.options, each] };
    }
  }
}

/** Drafts in which directives of a block stand in another order, or one that says the same for another. */
export function* changedBodies(draft: ConfigDraft): Generator<ConfigDraft> {
  for (const [index, site] of draft.sites.entries()) {
    for (const body of changedRoutes(site.body)) {
      yield withSite(draft, index, { ...site, body });
    }
  }
  for (const named of changedRoutes(draft.named)) {
    yield { ...draft, named };
  }
}

/** Directives that take numbers of groups while they are read. */
const numbered = new Set(["rewrite", "root", "try_files", "handle", "handle_path", "route", "handle_errors"]);

/** Directives that come to the same, but are sorted apart. */
const interchangeable = new Map([
  ["handle", "route"],
  ["route", "handle"],
  ["log_skip", "skip_log"],
  ["basic_auth", "basicauth"],
]);

function* changedRoutes(lines: readonly Line[]): Generator<Line[]> {
  const takes = (each: Line) => numbered.has(textOf(each.words[0] ?? "")) || innerOf(each).length > 0;
  for (const [from, each] of lines.entries()) {
    const [name = "", ...words] = each.words;
    const swapped = interchangeable.get(textOf(name));
    if (swapped !== undefined) {
      yield withAt(lines, from, { ...each, words: [swapped, ...words] });
    }
    if (!takes(each)) {
      continue;
    }
    for (const [to, other] of lines.entries()) {
      if (to !== from && takes(other)) {
        yield exchanged(lines, from, to);
      }
    }
    for (const inner of changedRoutes(innerOf(each))) {
      yield withAt(lines, from, { ...each, block: inner });
    }
  }
}

function exchanged(lines: readonly Line[], from: number, to: number): Line[] {
  return lines.flatMap((each, at) => {
    const [other] = lines.slice(at === from ? to : at === to ? from : lines.length);
    return [other ?? each];
  });
}
