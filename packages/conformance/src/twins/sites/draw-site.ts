import { generateText } from "../../serverfile/generate-serverfile.ts";
import type { RandomSource } from "../../serverfile/random-source.ts";
import type { Verdict } from "../twin-case.ts";
import { comparableSite } from "./comparable-site.ts";
import { drawGlobalOptions } from "./global-options.ts";
import { siteGrammar, snippets } from "./site-grammar.ts";
import { readStatements, type Statement, withoutLine, writeStatements } from "./site-text.ts";

/** A drawn text with more faults than these is thrown away. */
const mostRepairs = 25;

/** A text out of the grammar. It may well be refused. */
export function drawSiteText(random: RandomSource): string {
  const sites = generateText(random, siteGrammar, "twin_sites");
  return writeStatements(comparableSite(readStatements(`${drawGlobalOptions(random)}${snippets}${sites}`)));
}

/** The line that an adapter's refusal names. */
function refusedLine(body: string): number | undefined {
  const match = /(?:Caddyfile|Serverfile):(\d+)/.exec(body);
  return match === null ? undefined : Number(match[1]);
}

/** Texts with one statement of a site less. */
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
 * Takes away what the model refuses until it loads the rest.
 * @param load tells what the model says to a text
 * @returns undefined when that does not come to an end
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
