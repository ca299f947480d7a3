import { isSpace, trimSpace } from "../lexer/white-space.ts";

/** Maximum number of indentation levels, as in Caddy. Deeper lines get the same indentation. */
const maxIndent = 10;
const heredocMarker = /^[A-Za-z0-9_-]+$/;
/** Matches characters that need no special treatment by the formatter, after the first character of a word. */
const plainRun = /[!$-;=?-[\]^_a-z|~]+/y;

/**
 * Position relative to a heredoc:
 *
 * - `closed`: outside a heredoc
 * - `opening`: in the marker after `<<`
 * - `open`: in the heredoc's lines, which stay unchanged
 */
type HeredocState = "closed" | "opening" | "open";

/**
 * Formats a text character by character. The formatter changes white space and braces, and copies everything else. Each
 * instance formats only one text.
 */
class Formatter {
  readonly #text: string;
  /** Index of the current character. */
  #at = 0;
  #out = "";
  /** The character that was written last. */
  #last = "";
  /** True when white space precedes the current character. */
  #afterSpace = true;
  /** True when the current output line is empty. */
  #atLineStart = true;
  /** True when the current word begins with an opening brace. */
  #brace = false;
  /**
   * False while an opening brace is pending: the next character decides if a blank or a line break precedes the brace.
   */
  #braceWritten = false;
  /** True when white space preceded the pending brace. */
  #braceAfterSpace = false;
  /** True when the pending brace was alone on its line. */
  #braceOnOwnLine = false;
  /** Number of line breaks since the last word; two breaks make an empty line. */
  #newLines = 0;
  #inComment = false;
  /** Open quotes; the innermost quote is last. */
  #quotes = "";
  /** True when a backslash escapes the current character. */
  #escaped = false;
  #heredoc: HeredocState = "closed";
  /** True when the current word contains an escaped `<` and therefore opens no heredoc. */
  #heredocEscaped = false;
  #marker = "";
  /** Number of written characters in the current line of a heredoc. */
  #lineLength = 0;
  /** Number of open blocks, at most `maxIndent`. */
  #nesting = 0;
  /** The written part of the current word. */
  #word = "";
  /** The first word of the current line. */
  #firstWord = "";
  /**
   * True when the previous line is a top-level import. In this case, `{` on a separate line opens the block of a site
   * without addresses.
   */
  #afterImport = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the formatted text. Each character is visited once; long runs of plain characters are copied whole. */
  format(): string {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const size = (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
      this.#at = at;
      this.#take(text.slice(at, at + size));
      at += size;
      if (this.#isWithinText()) {
        plainRun.lastIndex = at;
        const run = plainRun.exec(text)?.[0] ?? "";
        this.#writeRun(run);
        at += run.length;
      }
    }
    if (this.#brace && !this.#braceWritten) {
      this.#writeBrace();
    }
    return `${trimSpace(this.#out)}\n`;
  }

  #write(char: string): void {
    this.#out += char;
    this.#last = char;
  }

  /** True when plain characters are copied unchanged: inside a word, a comment or quotes. */
  #isWithinText(): boolean {
    return (
      this.#heredoc === "closed" &&
      !this.#escaped &&
      !this.#afterSpace &&
      (this.#inComment ||
        this.#quotes !== "" ||
        (!this.#atLineStart && this.#newLines === 0 && (!this.#brace || this.#braceWritten)))
    );
  }

  #writeRun(run: string): void {
    if (run === "") {
      return;
    }
    if (!this.#inComment && this.#quotes === "") {
      this.#word += run;
    }
    this.#out += run;
    this.#last = run.charAt(run.length - 1);
  }

  #indent(): void {
    if (this.#nesting > 0) {
      this.#out += "\t".repeat(this.#nesting);
      this.#last = "\t";
    }
  }

  #nextLine(): void {
    this.#write("\n");
    this.#atLineStart = true;
  }

  /** Called at the end of a word, so that the first word of each line is known. */
  #endWord(): void {
    if (this.#word !== "" && this.#firstWord === "") {
      this.#firstWord = this.#word;
    }
    this.#word = "";
  }

  /** Called at the end of an input line. */
  #endLine(): void {
    this.#endWord();
    if (this.#firstWord !== "") {
      this.#afterImport = this.#nesting === 0 && this.#firstWord === "import";
    } else if (!this.#brace || !this.#braceOnOwnLine || this.#braceWritten) {
      this.#afterImport = false;
    }
    this.#firstWord = "";
  }

  /** Writes the pending brace and its line break, and increases the indentation. */
  #writeBrace(): void {
    if (this.#nesting === 0 && this.#last === "}") {
      this.#nextLine();
      this.#nextLine();
    }
    this.#brace = false;
    if (this.#braceOnOwnLine && this.#afterImport) {
      if (this.#last !== "\n") {
        this.#nextLine();
      }
      this.#indent();
    } else if (this.#atLineStart) {
      this.#indent();
    } else if (!this.#braceAfterSpace || !isSpace(this.#last.charCodeAt(0))) {
      this.#write(" ");
    }
    this.#write("{");
    this.#braceWritten = true;
    this.#braceOnOwnLine = false;
    this.#nextLine();
    this.#newLines = 0;
    if (this.#nesting < maxIndent) {
      this.#nesting++;
    }
  }

  /** @returns true when the character was part of a heredoc */
  #takeHeredoc(char: string, space: boolean): boolean {
    if (
      this.#quotes === "" &&
      this.#heredoc === "closed" &&
      !this.#heredocEscaped &&
      this.#afterSpace &&
      this.#last === "<" &&
      char === "<"
    ) {
      this.#write(char);
      this.#heredoc = "opening";
      this.#afterSpace = false;
      return true;
    }
    if (this.#heredoc === "opening") {
      if (char === "\n") {
        if (!heredocMarker.test(this.#marker)) {
          this.#closeHeredoc();
          this.#nextLine();
          return true;
        }
        this.#heredoc = "open";
        this.#write(char);
        return true;
      }
      if (!space) {
        this.#marker += char;
        this.#write(char);
        return true;
      }
      this.#closeHeredoc();
    }
    if (this.#heredoc === "open") {
      if (space && this.#endsWithMarker()) {
        this.#closeHeredoc();
        return false;
      }
      this.#write(char);
      this.#lineLength = char === "\n" ? 0 : this.#lineLength + char.length;
      return true;
    }
    return false;
  }

  /** True when the marker is directly before the current character, in the same line. */
  #endsWithMarker(): boolean {
    const { length } = this.#marker;
    return this.#lineLength >= length && this.#text.startsWith(this.#marker, this.#at - length);
  }

  #closeHeredoc(): void {
    this.#heredoc = "closed";
    this.#marker = "";
    this.#lineLength = 0;
  }

  /** Copies comments, escapes and quotes. @returns true when the character belongs to one of them */
  #takeLiteral(char: string): boolean {
    if (this.#inComment) {
      if (char === "\n") {
        this.#inComment = false;
        this.#afterSpace = true;
        this.#nextLine();
      } else {
        this.#write(char);
      }
      return true;
    }
    if (!this.#escaped && char === "\\") {
      if (this.#afterSpace) {
        this.#write(" ");
        this.#afterSpace = false;
      }
      this.#write(char);
      this.#escaped = true;
      return true;
    }
    if (this.#escaped) {
      this.#heredocEscaped ||= char === "<";
      this.#write(char);
      this.#escaped = false;
      return true;
    }
    return this.#takeQuoted(char);
  }

  /** Tracks quotes. Inside quotes, white space and braces are kept. */
  #takeQuoted(char: string): boolean {
    if (char === "`") {
      this.#quotes =
        this.#quotes === '"`' ? '"' : this.#quotes === "`" ? "" : this.#quotes === '"' ? '"`' : "`";
    }
    if (this.#quotes === '"') {
      if (char === '"') {
        this.#quotes = "";
      }
      this.#write(char);
      return true;
    }
    if (char === '"') {
      if (this.#quotes === "" && this.#afterSpace) {
        this.#quotes = '"';
      } else if (this.#quotes === '"`') {
        this.#quotes = "";
      }
    }
    if (this.#quotes === "`" && char === "`") {
      // In this case, Caddy drops the line break and the brace, which changes the meaning of the text.
      this.#takeWord(char);
      return true;
    }
    if (this.#quotes.includes("`")) {
      this.#write(char);
      this.#afterSpace = false;
      return true;
    }
    return false;
  }

  /** Processes one character of the input. */
  #take(char: string): void {
    const space = isSpace(char.charCodeAt(0));
    if (this.#takeHeredoc(char, space)) {
      return;
    }
    if (this.#last === "<" && this.#afterSpace) {
      this.#afterSpace = false;
    }
    if (this.#takeLiteral(char)) {
      return;
    }
    if (space) {
      this.#endWord();
      this.#afterSpace = true;
      this.#heredocEscaped = false;
      if (char === "\n") {
        this.#endLine();
        this.#newLines++;
      }
      return;
    }
    this.#takeWord(char);
  }

  /** Processes a character outside quotes that is not white space. */
  #takeWord(char: string): void {
    const afterSpace = this.#afterSpace;
    this.#afterSpace = false;
    if (char === "#") {
      this.#inComment = true;
    }
    if (this.#brace && afterSpace && !this.#braceWritten) {
      this.#writeBrace();
    }
    if (char === "{") {
      this.#takeOpenBrace(afterSpace);
    } else if (char === "}" && (afterSpace || !this.#brace)) {
      this.#takeCloseBrace();
    } else {
      this.#takePlain(char, afterSpace);
    }
  }

  #takeOpenBrace(afterSpace: boolean): void {
    this.#endWord();
    if (this.#brace && !this.#braceWritten) {
      this.#writeBrace();
    }
    this.#brace = true;
    this.#braceAfterSpace = afterSpace && !this.#atLineStart;
    this.#braceOnOwnLine = this.#newLines > 0;
    if (this.#braceAfterSpace && this.#newLines === 0) {
      this.#write(" ");
    }
    this.#braceWritten = false;
  }

  #takeCloseBrace(): void {
    this.#endWord();
    if (this.#last !== "\n") {
      this.#nextLine();
    }
    if (this.#nesting > 0) {
      this.#nesting--;
    }
    this.#indent();
    this.#write("}");
    this.#newLines = 0;
  }

  #takePlain(char: string, afterSpace: boolean): void {
    for (let count = Math.min(this.#newLines, 2); count > 0; count--) {
      this.#nextLine();
    }
    this.#newLines = 0;
    if (this.#atLineStart) {
      this.#indent();
    }
    if (this.#nesting === 0 && this.#last === "}" && this.#atLineStart) {
      this.#nextLine();
      this.#nextLine();
    }
    if (!this.#atLineStart && afterSpace) {
      this.#write(" ");
    }
    if (this.#brace && !this.#braceWritten) {
      this.#write("{");
      this.#braceWritten = true;
    }
    if (afterSpace && char === "<") {
      this.#afterSpace = true;
    }
    this.#word += char;
    this.#write(char);
    this.#atLineStart = false;
  }
}

/**
 * Returns the standard form of a serverfile: a tab for each level, one blank between words, at most one empty line in a
 * row, and a final line break. The formatted text has the same meaning. Source: Caddy 2.11, observed
 * output
 */
export function formatServerfile(text: string): string {
  return new Formatter(trimSpace(text)).format();
}
