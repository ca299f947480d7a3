// Grammar of a text after the lexer:
//
//     text    = [ global ] { block | import }
//     global  = "{" { segment } "}"
//     block   = key { "," key } ( "{" body "}" | body to the end of the text )
//     body    = { segment | import }
//
//     snippet = "(" name ")" "{" … "}"
//     route   = "&(" name ")" "{" … "}"
//     segment = word { word } [ "{" { segment } "}" ]
//     import  = "import" name { word } [ "{" … "}" ]
//
// The text
//
//     a.example, b.example {
//         respond ok
//     }
//
// is a block with two keys and one segment of two words.

import type { ServerError } from "server-core/errors";
import { expandEnvironment } from "../lexer/expand-environment.ts";
import { isCloseBrace, isOpenBrace, type Segment, type Token } from "../lexer/token.ts";
import { maxTokens, tokenize } from "../lexer/tokenize.ts";
import { between } from "./between.ts";
import { expandImport, readImportedBlock } from "./expand-import.ts";
import { filesToImport } from "./import-files.ts";
import { ImportGraph } from "./import-graph.ts";
import type { SiteBlock } from "./site-block.ts";
import { TokenStream } from "./token-stream.ts";

/**
 * Maximum depth of nested blocks; a deeper text is refused. Each level becomes about four levels of JSON, and the depth
 * of JSON also has a limit.
 */
export const maxBlockDepth = 200;

export interface ParseOptions {
  /** Environment variables for `{$NAME}`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives warnings: faults that do not stop parsing. */
  readonly warn: (message: string) => void;
}

/** Groups tokens into blocks, and expands imports. */
class SiteParser {
  readonly #options: ParseOptions;
  readonly #snippets: Map<string, Segment>;
  readonly #imports: ImportGraph;
  readonly #stream: TokenStream;
  /** Number of braces of the current segment that are still open. */
  #nesting = 0;
  /** Keys of the current block. */
  #keys: Token[] = [];
  /** Segments of the current block. */
  #segments: Segment[] = [];
  /** True when the current block has braces. */
  #hasBraces = false;
  /** True when the text ended after the keys of a block. */
  #atEnd = false;

  /** @param snippets snippets defined so far @param imports import counters, shared with the parsers of named routes */
  constructor(
    tokens: Segment,
    options: ParseOptions,
    snippets = new Map<string, Segment>(),
    imports = new ImportGraph(),
  ) {
    this.#stream = new TokenStream(tokens);
    this.#options = options;
    this.#snippets = snippets;
    this.#imports = imports;
  }

  /** Returns all blocks except snippets. @throws ServerError CONFIG_ADAPTER */
  all(): SiteBlock[] {
    const blocks: SiteBlock[] = [];
    while (this.#stream.next()) {
      const block = this.#block();
      if (block.keys.length > 0 || block.segments.length > 0) {
        blocks.push(block);
      }
      if (this.#nesting > 0) {
        throw this.#stream.endError();
      }
    }
    return blocks;
  }

  /** Reads a block and its keys. A snippet results in an empty block, which `all` drops. */
  #block(): SiteBlock {
    this.#keys = [];
    this.#segments = [];
    this.#hasBraces = false;
    this.#readKeys();
    const [key] = this.#keys;
    let isNamedRoute = false;
    if (!this.#atEnd) {
      const onlyKey = this.#keys.length === 1 ? (key?.text ?? "") : "";
      const route = between(onlyKey, "&(", ")");
      const snippet = between(onlyKey, "(", ")");
      if (route !== undefined && key !== undefined) {
        isNamedRoute = true;
        this.#readNamedRoute(route);
      } else if (snippet !== undefined) {
        this.#readSnippet(snippet);
      } else {
        this.#readBlock();
      }
    }
    return { keys: this.#keys, segments: this.#segments, hasBraces: this.#hasBraces, isNamedRoute };
  }

  /**
   * Reads addresses up to the opening brace or the end of the line. After a word that ends with a comma, another
   * address follows, possibly on the next line.
   */
  #readKeys(): void {
    const stream = this.#stream;
    let expectsAnother = false;
    for (;;) {
      const token = stream.token;
      if (token === undefined) {
        this.#atEnd = true;
        return;
      }
      let key = token.text;
      if (key.startsWith("@")) {
        throw stream.error(
          `request matchers may not be defined globally, they must be in a site block; found ${key}`,
        );
      }
      if (key === "import" && stream.isNewLine()) {
        this.#import(0);
        continue;
      }
      if (isOpenBrace(token)) {
        if (expectsAnother) {
          throw stream.error(`Expected another address but had '${key}' - check for extra comma`);
        }
        this.#hasBraces = true;
        return;
      }
      if (key.endsWith("{") && token.quote === "") {
        throw stream.error(
          `Site addresses cannot end with a curly brace: '${key}' - put a space between the token and the brace`,
        );
      }
      if (key !== "") {
        expectsAnother = key.endsWith(",");
        key = expectsAnother ? key.slice(0, -1) : key;
        if (key.includes(",")) {
          throw stream.error(
            `Site addresses cannot contain a comma ',': '${key}' - put a space after the comma to separate site addresses`,
          );
        }
        if (key !== "") {
          this.#keys.push({ ...token, text: key });
        }
      }
      const hasNext = stream.next();
      if (expectsAnother && !hasNext) {
        throw stream.endError();
      }
      if (!hasNext) {
        this.#atEnd = true;
        return;
      }
      if (!expectsAnother && stream.isNewLine()) {
        return;
      }
    }
  }

  /** Reads `&(name) { … }`: its tokens become one segment, whose directives later code reads. */
  #readNamedRoute(name: string): void {
    const start = this.#stream.token;
    if (start === undefined) {
      return;
    }
    const nameToken: Token = { ...start, text: name, quote: "" };
    this.#keys = [nameToken];
    const inner = new SiteParser(this.#wholeBlock(true), this.#options, this.#snippets, this.#imports);
    this.#segments = [[nameToken, ...inner.#withImports()]];
  }

  /** Returns the tokens after expanding every import at the start of a line. */
  #withImports(): Segment {
    const stream = this.#stream;
    while (stream.next()) {
      if (stream.value === "import" && stream.isNewLine()) {
        this.#import(1);
        stream.index--;
      }
    }
    return stream.all();
  }

  /**
   * Stores `(name) { … }` for imports. A snippet is parsed only when a text imports it. @throws ServerError for a
   * repeated name
   */
  #readSnippet(name: string): void {
    if (this.#snippets.has(name)) {
      throw this.#stream.error(`redeclaration of previously declared snippet ${name}`);
    }
    this.#snippets.set(
      name,
      this.#wholeBlock(false).map((token) => ({ ...token, snippet: name })),
    );
    this.#keys = [];
  }

  /**
   * The error for a missing `{`. Global options after an import are a common mistake, so this mistake has a separate
   * message.
   */
  #openBraceError(): ServerError {
    const afterSnippets =
      this.#stream.value === "import" &&
      this.#keys.length > 0 &&
      this.#keys.every(({ text }) => text.startsWith("(") && text.endsWith(")"));
    return afterSnippets
      ? this.#stream.error(
          "global options block must appear before import directives; move the global options block to the top of the file",
        )
      : this.#stream.syntaxError("{");
  }

  /** Reads all tokens of a block, including inner braces. */
  #wholeBlock(keepsBraces: boolean): Token[] {
    const stream = this.#stream;
    if (stream.token === undefined || !isOpenBrace(stream.token)) {
      throw this.#openBraceError();
    }
    const tokens: Token[] = keepsBraces ? [stream.token] : [];
    let nesting = 1;
    while (stream.next()) {
      const { token } = stream;
      if (token === undefined) {
        break;
      }
      if (isCloseBrace(token)) {
        nesting--;
        if (nesting === 0) {
          if (keepsBraces) {
            tokens.push(token);
          }
          break;
        }
      } else if (isOpenBrace(token)) {
        nesting++;
        this.#checkDepth(nesting);
      }
      tokens.push(token);
    }
    if (nesting !== 0) {
      throw stream.syntaxError("}");
    }
    return tokens;
  }

  /** @throws ServerError CONFIG_ADAPTER when blocks nest deeper than the limit */
  #checkDepth(depth: number): void {
    if (depth > maxBlockDepth) {
      throw this.#stream.error(`blocks are nested deeper than the limit of ${maxBlockDepth} levels`);
    }
  }

  /** Reads the segments of a block. Without braces, the rest of the text is the block. */
  #readBlock(): void {
    const stream = this.#stream;
    const isOpen = isOpenBrace(stream.token);
    if (!isOpen) {
      stream.index--;
    }
    while (stream.next()) {
      if (isCloseBrace(stream.token)) {
        break;
      }
      if (stream.value === "import") {
        this.#import(1);
        stream.index--;
      } else {
        this.#readSegment();
      }
    }
    if (isOpen && !isCloseBrace(stream.token)) {
      throw stream.syntaxError("}");
    }
  }

  /** Reads a directive up to the end of its line or block. */
  #readSegment(): void {
    const stream = this.#stream;
    const segment: Token[] = [];
    const add = () => stream.token !== undefined && segment.push(stream.token);
    add();
    while (stream.next()) {
      if (isOpenBrace(stream.token)) {
        this.#nesting++;
        this.#checkDepth(this.#nesting);
        if (!stream.isNextOnNewLine()) {
          throw stream.error("Unexpected next token after '{' on same line");
        }
        if (stream.isNewLine()) {
          throw stream.error(
            "Unexpected '{' on a new line; did you mean to place the '{' on the previous line?",
          );
        }
      } else if (stream.value === "{}" && stream.token?.quote === "") {
        if (stream.isNextOnNewLine()) {
          throw stream.error("Unexpected '{}' at end of line");
        }
      } else if (this.#nesting === 0 && stream.isNewLine()) {
        stream.index--;
        break;
      } else if (isCloseBrace(stream.token)) {
        if (this.#nesting === 0) {
          throw stream.error("Unexpected '}' because no matching opening brace");
        }
        this.#nesting--;
      } else if (stream.value === "import" && stream.isNewLine()) {
        this.#import(1);
        stream.index--;
        continue;
      }
      add();
    }
    this.#segments.push(segment);
    if (this.#nesting > 0) {
      throw stream.endError();
    }
  }

  /**
   * Replaces an import by the imported tokens. Afterwards the cursor is before the first imported token.
   * @param nesting number of enclosing blocks
   */
  #import(nesting: number): void {
    const stream = this.#stream;
    const start = stream.index;
    const name = stream.argument();
    if (name === "") {
      throw stream.error("Import requires a non-empty filepath");
    }
    const values = stream.remainingArguments();
    const block = readImportedBlock(stream);
    const { token } = stream;
    const place = `${stream.file}:${stream.line}`;
    const { tokens, sources } = this.#importedTokens(name);
    const from = token?.snippet ? `${stream.file}:${token.snippet}` : stream.file;
    this.#imports.add(from, sources, place);
    const expanded = expandImport(tokens, { values, block, outerNesting: nesting, place });
    this.#imports.count(expanded, place);
    stream.replace(start, stream.index + 1 - start, expanded);
    stream.index = start;
    if (stream.count > maxTokens) {
      throw stream.error(`more tokens than the limit of ${maxTokens}`);
    }
  }

  /**
   * The tokens of a snippet, or of all files that match a pattern. A snippet takes precedence over a file with the same
   * name. @returns tokens, and in `sources` the names for the detection of cycles
   */
  #importedTokens(name: string): { tokens: Segment; sources: string[] } {
    const snippet = this.#snippets.get(name);
    if (snippet !== undefined) {
      const [first] = snippet;
      return { tokens: snippet, sources: first === undefined ? [] : [`${first.file}:${first.snippet}`] };
    }
    const files = filesToImport(this.#stream, name, this.#options.warn);
    const tokens: Token[] = [];
    for (const { path, text } of files) {
      if (text.trim() === "") {
        this.#options.warn(`Import file is empty: ${path}`);
        continue;
      }
      for (const each of tokenize(expandEnvironment(text, this.#options.environment), path)) {
        tokens.push(each);
      }
    }
    return { tokens, sources: files.map(({ path }) => path) };
  }
}

/**
 * Parses a text into blocks, without interpreting directives.
 * @param file path of the text; the paths of its imports are relative to it
 * @throws ServerError CONFIG_ADAPTER with file and line
 * Source: Caddy 2.11, observed output
 */
export function parseSites(text: string, file: string, options: ParseOptions): SiteBlock[] {
  const tokens = tokenize(expandEnvironment(text, options.environment), file);
  return new SiteParser(tokens, options).all();
}
