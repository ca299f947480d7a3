import { ServerError } from "server-core/errors";
import { isCloseBrace, isOpenBrace, type Segment, startsNewLine, type Token } from "../lexer/token.ts";
import { TokenCursor } from "../lexer/token-cursor.ts";
import { maxTokens } from "../lexer/tokenize.ts";
import { between } from "./between.ts";
import { expandArguments } from "./import-arguments.ts";
import type { TokenStream } from "./token-stream.ts";

/** The texts that replace `{block}` and `{blocks.name}` in an import. */
export interface ImportedBlock {
  /** All tokens of the block, for `{block}`. */
  readonly tokens: Segment;
  /** The lines of the block by their first word, for `{blocks.name}`; the value is the line without this word. */
  readonly parts: ReadonlyMap<string, Segment>;
}

/** Reads the block of an import at the stream's position. @throws ServerError CONFIG_ADAPTER */
export function readImportedBlock(stream: TokenStream): ImportedBlock {
  const tokens: Token[] = [];
  for (const outer = stream.nesting; stream.nextInBlock(outer); ) {
    if (stream.token !== undefined) {
      tokens.push(stream.token);
    }
  }
  const parts = new Map<string, Segment>();
  const cursor = new TokenCursor(tokens);
  while (cursor.next()) {
    const key = cursor.value;
    if (isOpenBrace(cursor.token)) {
      throw stream.error("anonymous blocks are not supported");
    }
    const part: Token[] = [];
    const add = () => cursor.token !== undefined && part.push(cursor.token);
    while (cursor.nextArgument()) {
      add();
    }
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      add();
    }
    parts.set(key, part);
  }
  return { tokens, parts };
}

/** The `import` line that is replaced by the imported tokens. */
interface ImportPlace {
  /** Arguments of the import, for `{args[0]}`. */
  readonly values: readonly string[];
  readonly block: ImportedBlock;
  /** Number of open blocks around the import. */
  readonly outerNesting: number;
  /** File and line of the import. */
  readonly place: string;
}

/**
 * Expands imported tokens: inserts arguments and blocks. Snippets that these tokens define stay unchanged.
 * @throws ServerError CONFIG_ADAPTER above the limit of tokens
 */
export function expandImport(tokens: Segment, { values, block, outerNesting, place }: ImportPlace): Token[] {
  const expanded: Token[] = [];
  const chains = new Map<readonly string[], readonly string[]>();
  let nesting = outerNesting;
  let inSnippet = false;
  let maySnippet = false;
  let index = 0;
  let first = true;
  for (const original of tokens) {
    let imports = chains.get(original.imports);
    if (imports === undefined) {
      const by = original.snippet === "" ? "(import)" : `(import ${original.snippet})`;
      imports = [...original.imports, `${place} ${by}`];
      chains.set(original.imports, imports);
    }
    const token: Token = { ...original, imports };
    if (!inSnippet && nesting === 0) {
      const previous = expanded.at(-1);
      index = first || previous === undefined || startsNewLine(previous, token) ? 0 : index + 1;
      if (index === 0 && between(token.text, "(", ")") !== undefined && token.text.length >= 3) {
        maySnippet = true;
      }
    }
    first = false;
    if (isOpenBrace(token)) {
      nesting++;
      if (index === 1 && maySnippet && nesting === 1) {
        inSnippet = true;
        maySnippet = false;
      }
    } else if (isCloseBrace(token)) {
      nesting--;
      if (nesting === 0) {
        inSnippet = false;
      }
    }
    const part = between(token.text, "{blocks.", "}");
    if (inSnippet) {
      expanded.push(token);
    } else if (token.text === "{block}") {
      for (const each of block.tokens) {
        expanded.push(each);
      }
    } else if (part !== undefined) {
      for (const each of block.parts.get(part) ?? []) {
        expanded.push(each);
      }
    } else {
      for (const each of expandArguments(token, values)) {
        expanded.push(each);
      }
    }
    if (expanded.length > maxTokens) {
      throw new ServerError("CONFIG_ADAPTER", `more tokens than the limit of ${maxTokens}, at ${place}`);
    }
  }
  return expanded;
}
