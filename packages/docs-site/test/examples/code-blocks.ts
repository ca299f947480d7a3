import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lexer, type Token } from "marked";
import { readPages } from "../../src/site/build-site.ts";

/** The repository's root. */
export const repository = join(import.meta.dirname, "..", "..", "..", "..");

/** A fenced block of code in the documentation. */
export interface CodeBlock {
  /** Path of the page below docs/. */
  readonly page: string;
  readonly language: string;
  /**
   * The words after the language, without the title. They define how the example is run; code hosts do not show them.
   */
  readonly words: readonly string[];
  /** `title="site.json"` names the file whose text the block shows. */
  readonly title?: string;
  readonly code: string;
  /** Expected output of a shell block: the block directly below it. */
  readonly output?: { readonly code: string; readonly words: readonly string[] };
  /** The page and a number, for messages: `quick-start.md, block 2`. */
  readonly name: string;
}

/** Pages whose instructions people follow, and the README. ADRs are left out, because they are historical records. */
export const pages = [
  { path: "README.md", markdown: readFileSync(join(repository, "README.md"), "utf8") },
  ...readPages(join(repository, "docs")).filter(({ path }) => !/^(?:adr|measurements)\//.test(path)),
];

interface CodeToken {
  readonly language: string;
  readonly words: readonly string[];
  readonly title?: string;
  readonly code: string;
  /** True when only blank lines separate the block from the block before. */
  readonly followsCode: boolean;
}

function* codeTokens(tokens: readonly Token[]): Generator<CodeToken> {
  let followsCode = false;
  for (const token of tokens) {
    if (token.type === "code") {
      const info = (token.lang as string | undefined) ?? "";
      const title = /(?<=title=")[^"]+/.exec(info)?.[0];
      const [language = "", ...words] = info.replace(/title="[^"]*"/, "").split(/\s+/);
      yield {
        language,
        words: words.filter((word) => word !== ""),
        ...(title === undefined ? {} : { title }),
        code: token.text as string,
        followsCode,
      };
    }
    followsCode = token.type === "code" || (followsCode && token.type === "space");
    if (token.type === "list") {
      for (const item of token.items as { tokens: Token[] }[]) {
        yield* codeTokens(item.tokens);
      }
    } else if ("tokens" in token && token.tokens !== undefined) {
      yield* codeTokens(token.tokens);
    }
  }
}

/** True when a block can be the output of the shell block before it. */
function isOutput(token: CodeToken | undefined): token is CodeToken {
  return (
    token?.followsCode === true && token.title === undefined && ["", "json", "text"].includes(token.language)
  );
}

/** All blocks of code in all pages. */
export const codeBlocks: readonly CodeBlock[] = pages.flatMap(({ path, markdown }) =>
  [...codeTokens(lexer(markdown))].map(({ followsCode: _, ...block }, index, all) => {
    const next = all[index + 1];
    return {
      ...block,
      page: path,
      name: `${path}, block ${index + 1}`,
      ...(block.language === "sh" && isOutput(next)
        ? { output: { code: next.code, words: next.words } }
        : {}),
    };
  }),
);

/**
 * Blocks of these languages, one row for each test.
 * @throws Error when no block exists, because then nothing would be tested
 */
export function blocksOf(...languages: readonly string[]): (readonly [string, CodeBlock])[] {
  const found = codeBlocks.filter(({ language }) => languages.includes(language));
  if (found.length === 0) {
    throw new Error(`no block of ${languages.join(", ")}`);
  }
  return found.map((block) => [block.name, block] as const);
}
