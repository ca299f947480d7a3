import { type Block, type Line, line, linesOf, lineWith } from "./lines/line.ts";
import { shortenPlaceholders } from "./lines/shorten-placeholders.ts";
import { writeWord } from "./lines/write-word.ts";

export interface SiteLines {
  /** Addresses of the site. */
  readonly keys: readonly string[];
  /** Lines other than routes: listen addresses, certificates, logs. */
  readonly head: readonly Line[];
  /** Matchers and directives. */
  readonly body: Block;
  /** A comment before the site, if the purpose of the site is not obvious. */
  readonly comment?: string;
}

/**
 * A site without listen addresses. No server contains this site, but its routes use group numbers. @param number makes
 * the name of the site unique
 */
export function unservedSite(number: number, head: readonly Line[]): SiteLines {
  return {
    keys: [`${number}.is.not.served.invalid`],
    head: [lineWith(["bind"], [line("protocols", "h2")]), ...head],
    body: [],
    comment: "Served nowhere: it takes the numbers that the config leaves out.",
  };
}

/** The lines of a text, in three parts. */
export interface ConfigLines {
  readonly options: readonly Line[];
  /** Named routes. */
  readonly named: readonly Line[];
  readonly sites: readonly SiteLines[];
}

/** Formats lines as text. Each level is indented by one tab, as in the formatter. */
function printLines(lines: readonly Line[], depth = 0): string {
  const indent = "\t".repeat(depth);
  let text = "";
  for (const { words, block } of lines) {
    text += indent + words.map((word) => writeWord(word, `${indent}\t`)).join(" ");
    if (block !== undefined) {
      text += ` {\n${printLines(linesOf(block), depth + 1)}${indent}}`;
    }
    text += "\n";
  }
  return text;
}

/** Writes the text of one site, with its comment. */
function siteText({ keys, head, body, comment }: SiteLines): string {
  const lines = shortenPlaceholders(printLines([...head, ...linesOf(body)], 1));
  return `${comment === undefined ? "" : `# ${comment}\n`}${keys.join(", ")} {\n${lines}}\n`;
}

/**
 * Writes the lines as text. If there are no lines, the text is an empty block of options, because an empty text would
 * be refused.
 */
export function configText({ options, named, sites }: ConfigLines): string {
  const isEmpty = options.length + named.length + sites.length === 0;
  // Global options keep long placeholders, because shorthands such as `{host}` only work in sites.
  const head = options.length === 0 && !isEmpty ? [] : [`{\n${printLines(options, 1)}}\n`];
  const routes = named.map((each) => shortenPlaceholders(printLines([each])));
  return [...head, ...routes, ...sites.map(siteText)].join("\n");
}
