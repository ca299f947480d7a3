import { type Block, type Line, line, linesOf, lineWith } from "./lines/line.ts";
import { printLines } from "./lines/print-lines.ts";
import { shortenPlaceholders } from "./lines/shorten-placeholders.ts";

/** A site of a text. */
export interface SiteLines {
  /** Its addresses. */
  readonly keys: readonly string[];
  /** Lines that are no routes: where it listens, certificates, logs. */
  readonly head: readonly Line[];
  /** Matchers and directives. */
  readonly body: Block;
  /** A comment before the site, where its purpose is not obvious. */
  readonly comment?: string;
}

/** A site that listens nowhere. It is in no server, but takes numbers of groups. @param number keeps its name unique */
export function unservedSite(number: number, head: readonly Line[]): SiteLines {
  return {
    keys: [`${number}.is.not.served.invalid`],
    head: [lineWith(["bind"], [line("protocols", "h2")]), ...head],
    body: [],
    comment: "Served nowhere: it takes the numbers that the config leaves out.",
  };
}

/** The lines of a text, in its three parts. */
export interface ConfigLines {
  readonly options: readonly Line[];
  /** Named routes. */
  readonly named: readonly Line[];
  readonly sites: readonly SiteLines[];
}

/** Global options keep long placeholders: shorthands such as `{host}` hold in sites only. */
const keep = (text: string) => text;

/** The text of one site, with its comment. */
function siteText({ keys, head, body, comment }: SiteLines): string {
  const lines = printLines([...head, ...linesOf(body)], shortenPlaceholders, 1);
  return `${comment === undefined ? "" : `# ${comment}\n`}${keys.join(", ")} {\n${lines}}\n`;
}

/** The lines as a text. One without any has an empty block of options, since an empty text is no serverfile. */
export function configText({ options, named, sites }: ConfigLines): string {
  const isEmpty = options.length + named.length + sites.length === 0;
  const head = options.length === 0 && !isEmpty ? [] : [`{\n${printLines(options, keep, 1)}}\n`];
  const routes = named.map((each) => printLines([each], shortenPlaceholders));
  return [...head, ...routes, ...sites.map(siteText)].join("\n");
}
