import { generateText } from "../../serverfile/generate-serverfile.ts";
import type { RandomSource } from "../../serverfile/random-source.ts";
import type { Verdict } from "../twin-case.ts";
import { comparableSite } from "./comparable-site.ts";
import { drawGlobalOptions } from "./global-options.ts";
import { siteGrammar, snippets } from "./site-grammar.ts";
import { readStatements, type Statement, withoutLine, writeStatements } from "./site-text.ts";

/** A text that needs more repairs than this is dropped. */
const mostRepairs = 25;

/** Draws the text of a site from the grammar. The servers may refuse it. */
export function drawSiteText(random: RandomSource): string {
  const sites = generateText(random, siteGrammar, "twin_sites");
  return writeStatements(comparableSite(readStatements(`${drawGlobalOptions(random)}${snippets}${sites}`)));
}

/** Finds the line number in an adapter's error. */
function refusedLine(body: string): number | undefined {
  const match = /(?:Caddyfile|Serverfile):(\d+)/.exec(body);
  return match === null ? undefined : Number(match[1]);
}

/** All texts with one statement of a site removed. */
function* withoutOne(statements: readonly Statement[]): Generator<readonly Statement[]> {
  for (const [index, { line, block }] of statements.entries()) {
    if (line === "{" || line.startsWith("(") || block === undefined) {
      continue;
    }
    for (const inner of block.keys()) {
      yield statements.toSpliced(index, 1, { line, block: block.toSpliced(inner, 1) });
    }
  }
}

/**
 * Removes statements that the model refuses, until it loads the rest.
 * @param load returns the model's answer for a text
 * @returns undefined when too many repairs would be needed
 */
export async function repairSite(
  text: string,
  load: (text: string) => Promise<Verdict>,
): Promise<string | undefined> {
  let statements: readonly Statement[] = readStatements(text);
  for (let attempt = 0; attempt < mostRepairs; attempt++) {
    const now = writeStatements(statements);
    const { status, body } = await load(now);
    if (status === 200) {
      return now;
    }
    const line = refusedLine(body);
    const smaller = line === undefined ? undefined : withoutLine(statements, line);
    if (smaller !== undefined) {
      statements = smaller;
      continue;
    }
    for (const candidate of withoutOne(statements)) {
      const shorter = writeStatements(candidate);
      if ((await load(shorter)).status === 200) {
        return shorter;
      }
    }
    return undefined;
  }
  return undefined;
}
