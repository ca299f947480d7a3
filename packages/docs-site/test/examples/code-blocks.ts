import { join } from "node:path";
import { lexer, type Token } from "marked";
import { readPages } from "../../src/site/build-site.ts";

/** The repository's root. */
export const repository = join(import.meta.dirname, "..", "..", "..", "..");

/** A fenced block of code in the documentation. */
export interface CodeBlock {
  /** Below docs/. */
  readonly page: string;
  readonly language: string;
  readonly code: string;
  /** The page and a number, for messages: `quick-start.md, block 2`. */
  readonly name: string;
}

/** Pages that people read to do what they say; ADRs are records of their time. */
export const pages = readPages(join(repository, "docs")).filter(({ path }) => !path.startsWith("adr/"));

function* codeTokens(tokens: readonly Token[]): Generator<{ readonly lang: string; readonly text: string }> {
  for (const token of tokens) {
    if (token.type === "code") {
      yield { lang: (token.lang as string | undefined) ?? "", text: token.text as string };
    }
    if (token.type === "list") {
      for (const item of token.items as { tokens: Token[] }[]) yield* codeTokens(item.tokens);
    } else if ("tokens" in token && token.tokens !== undefined) {
      yield* codeTokens(token.tokens);
    }
  }
}

/** All blocks of code in all pages. */
export const codeBlocks: readonly CodeBlock[] = pages.flatMap(({ path, markdown }) =>
  [...codeTokens(lexer(markdown))].map(({ lang, text }, index) => ({
    page: path,
    language: lang,
    code: text,
    name: `${path}, block ${index + 1}`,
  })),
);

/** Blocks of a language, one row for each test. @throws Error when there is none: then nothing would be tested */
export function blocksOf(...languages: readonly string[]): (readonly [string, CodeBlock])[] {
  const found = codeBlocks.filter(({ language }) => languages.includes(language));
  if (found.length === 0) {
    throw new Error(`no block of ${languages.join(", ")}`);
  }
  return found.map((block) => [block.name, block] as const);
}
