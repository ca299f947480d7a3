import { type Line, line, linesOf } from "./lines/line.ts";
import { printLines } from "./lines/print-lines.ts";
import { shortenPlaceholders } from "./lines/shorten-placeholders.ts";

/** A site of a text. */
export interface DraftedSite {
  /** Its addresses. */
  readonly keys: readonly string[];
  /** Lines that are no routes: where it listens, certificates, logs. */
  readonly head: readonly Line[];
  /** Matchers and directives. */
  readonly body: readonly Line[];
  /** Why it is there, when that is not to be seen. */
  readonly comment?: string;
}

/** A site that listens nowhere: it is in no server, but takes numbers. @param number makes its name another */
export function unservedSite(number: number, head: readonly Line[], body: readonly Line[]): DraftedSite {
  const bind: Line = { words: ["bind"], block: [line("protocols", "h2")] };
  return {
    keys: [`${number}.is.not.served.invalid`],
    head: [bind, ...head],
    body,
    comment: "Served nowhere: it takes the numbers that the config leaves out.",
  };
}

/** A text in parts: what can be moved, dropped and written otherwise while a way to say a config is looked for. */
export interface ConfigDraft {
  readonly options: readonly Line[];
  /** Named routes. */
  readonly named: readonly Line[];
  readonly sites: readonly DraftedSite[];
}

/** Lines whose blocks are lists: what they hold changes no more. */
export function frozen(lines: readonly Line[]): Line[] {
  return lines.map(({ words, block }) => ({
    words,
    block: block === undefined ? undefined : frozen(linesOf(block)),
  }));
}

const keep = (text: string) => text;

function siteText({ keys, head, body, comment }: DraftedSite): string {
  const lines = printLines([...head, ...body], shortenPlaceholders, 1);
  return `${comment === undefined ? "" : `# ${comment}\n`}${keys.join(", ")} {\n${lines}}\n`;
}

/** A draft as text. */
export function draftText({ options, named, sites }: ConfigDraft): string {
  const head = options.length === 0 ? [] : [`{\n${printLines(options, keep, 1)}}\n`];
  const routes = named.map((each) => printLines([each], shortenPlaceholders));
  return [...head, ...routes, ...sites.map(siteText)].join("\n");
}
