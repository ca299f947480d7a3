import { engineError } from "../engine-error.ts";
import { EngineClause } from "./engine-clause.ts";
import { type Token, tokenize } from "./tokenizer.ts";
import { utf8Text } from "./utf8-text.ts";

/** Facts about a statement that the HTTP interface needs before it passes the statement to the engine. */
export interface Statement {
  /** First word of the statement, upper case, such as SELECT or INSERT; "" for a statement without words. */
  readonly verb: string;
  /** Format in the statement's `FORMAT`, for its result or for the inserted rows; undefined without FORMAT. */
  readonly format: string | undefined;
  /** Present for an insert whose rows are in the request (`FORMAT x` or `VALUES`). */
  readonly insert?: InsertStatement;
  /** Position for `INTO OUTFILE`: after the query and before `FORMAT`. */
  readonly outfileAt: number;
  /** End of the statement, before a semicolon. */
  readonly end: number;
  /**
   * True for `WITH … INSERT`, in which `verb` is WITH. The next field is true for a statement that selects a profile of
   * settings.
   */
  readonly inserts: boolean;
  readonly setsProfile: boolean;
}

/** Positions in the text of an insert, in ascending order. */
export interface InsertStatement {
  /** Position for `FROM INFILE`: after the table and its columns. */
  readonly sourceAt: number;
  /** Position of the word FORMAT or VALUES. */
  readonly formatAt: number;
  /** Format of the rows; `Values` for VALUES. */
  readonly format: string;
  /** Position after the format; `SETTINGS …` may be between it and the rows. */
  readonly formatEnd: number;
  /** Position of the first byte of the rows. */
  readonly dataAt: number;
}

/** Reads tokens one at a time, and also stores the next token. */
class Cursor {
  readonly #tokens: Iterator<Token, undefined>;
  #next: Token | undefined;
  /** Position after the last token that was taken. */
  end = 0;

  constructor(sql: string, from = 0) {
    this.#tokens = tokenize(sql, from);
    this.#next = this.#tokens.next().value;
  }

  get next(): Token | undefined {
    return this.#next;
  }

  /** Takes a token. If `last` is true, the next token is not read, because it may be data. */
  take(last = false): Token | undefined {
    const token = this.#next;
    this.end = token?.end ?? this.end;
    this.#next = last ? undefined : this.#tokens.next().value;
    return token;
  }

  is(text: string): boolean {
    return this.#next?.text === text && (this.#next.kind === "word" || this.#next.kind === "symbol");
  }

  skip(text: string): boolean {
    if (!this.is(text)) {
      return false;
    }
    this.take();
    return true;
  }

  /** Skips an opening parenthesis with everything up to its closing parenthesis. */
  skipParentheses(): void {
    let depth = 0;
    do {
      const token = this.take();
      depth += token?.kind !== "symbol" ? 0 : token.text === "(" ? 1 : token.text === ")" ? -1 : 0;
    } while (depth > 0 && this.#next !== undefined);
  }
}

/** Rows start after blanks and at most one line end. Source: ClickHouse src/Parsers/ParserInsertQuery.cpp */
function skipToData(sql: string, from: number): number {
  let index = from;
  while (index < sql.length && " \t\f".includes(sql.charAt(index))) {
    index++;
  }
  index += sql.charAt(index) === "\r" ? 1 : 0;
  return index + (sql.charAt(index) === "\n" ? 1 : 0);
}

/** Skips the value of a setting: a string, or text without blanks such as `-1.5`. */
function takeValue(cursor: Cursor): boolean {
  if (cursor.next?.kind === "string") {
    cursor.take();
    return true;
  }
  const { next } = cursor;
  while (
    cursor.next !== undefined &&
    (cursor.next.kind === "word" || cursor.is("-") || cursor.is(".")) &&
    (cursor.next === next || cursor.next.start === cursor.end)
  ) {
    cursor.take();
  }
  return cursor.next !== next;
}

/** End of the part `SETTINGS a = 1, b = 'x'` after the format; the data follow its last value. */
function settingsEnd(sql: string, from: number): number {
  const cursor = new Cursor(sql, from);
  let end = from;
  if (!cursor.skip("SETTINGS")) {
    return end;
  }
  do {
    if (cursor.take()?.kind !== "word" || !cursor.skip("=") || !takeValue(cursor)) {
      break;
    }
    end = cursor.end;
  } while (cursor.skip(","));
  return end;
}

function readInsert(sql: string, cursor: Cursor): InsertStatement | undefined {
  cursor.skip("INTO");
  cursor.skip("TABLE");
  const isFunction = cursor.skip("FUNCTION");
  cursor.take();
  while (cursor.skip(".")) {
    cursor.take();
  }
  if (isFunction && cursor.is("(")) {
    cursor.skipParentheses();
  }
  if (cursor.is("(")) {
    cursor.skipParentheses();
  }
  const sourceAt = cursor.end;
  while (cursor.next !== undefined) {
    const token = cursor.next;
    if (token.kind !== "word") {
      cursor.is("(") ? cursor.skipParentheses() : cursor.take();
    } else if (token.text === "SELECT" || token.text === "WITH" || token.text === "FROM") {
      return undefined;
    } else if (token.text === "VALUES") {
      return {
        sourceAt,
        formatAt: token.start,
        format: "Values",
        formatEnd: token.end,
        dataAt: token.end,
      };
    } else if (token.text === "FORMAT") {
      cursor.take();
      const name = cursor.take(true);
      const format = sql.slice(name?.start, name?.end);
      const formatEnd = cursor.end;
      const dataAt = skipToData(sql, settingsEnd(sql, formatEnd));
      return { sourceAt, formatAt: token.start, format, formatEnd, dataAt };
    } else {
      cursor.take();
    }
  }
  return undefined;
}

function refuse(text: string): never {
  throw engineError("INTO_OUTFILE_NOT_ALLOWED", `${text} is not allowed over HTTP`);
}

/** Data that `check` collects from the tokens. */
type Checked = Pick<Statement, "format" | "outfileAt" | "end" | "inserts" | "setsProfile">;

/**
 * Refuses statements that ClickHouse's server refuses, unlike the embedded engine: several statements, and files. The
 * engine's grants do not forbid them (see engine-config.ts).
 */
function check(sql: string): Checked {
  const engineClause = new EngineClause();
  let before: Token | undefined;
  let ended = false;
  let verb: string | undefined;
  let inserts = false;
  let setsProfile = false;
  let end = 0;
  /** The last `FORMAT x`; it counts only if all tokens after it are allowed there. */
  let clause: { readonly format: string; readonly from: number } | undefined;
  let isClauseOver = false;
  let beforeFormat = 0;
  for (const token of tokenize(sql)) {
    if (ended && !(token.kind === "symbol" && token.text === ";")) {
      throw engineError("SYNTAX_ERROR", "Syntax error: multi-statements are not allowed");
    }
    verb ??= token.text;
    const isEnd = token.kind === "symbol" && token.text === ";";
    if (clause !== undefined && !isClauseOver) {
      isClauseOver = true;
      // `SELECT x AS format FROM t` has no FORMAT clause.
      clause = isEnd || (token.kind === "word" && token.text === "SETTINGS") ? clause : undefined;
    }
    if (token.kind === "symbol") {
      ended ||= isEnd;
      const callee =
        token.text === "(" && before !== undefined && before.kind !== "string"
          ? before.text.toUpperCase()
          : "";
      if (callee === "FILE") {
        refuse("function file: reading files of the server");
      } else if (callee === "DISK") {
        throw engineError("ACCESS_DENIED", "disk(…), a disk defined in a query, is not allowed over HTTP");
      }
      setsProfile ||= token.text === "=" && before?.text.toUpperCase() === "PROFILE";
    } else if (token.kind === "word" && (token.text === "OUTFILE" || token.text === "INFILE")) {
      if (before?.kind === "word" && (before.text === "INTO" || before.text === "FROM")) {
        refuse(`${before.text} ${token.text}`);
      }
    } else if (verb === "ATTACH" && token.kind === "string" && before?.text === "FROM") {
      refuse("ATTACH … FROM a path");
    }
    inserts ||= token.kind === "word" && token.text === "INTO" && before?.text === "INSERT";
    if (token.kind === "word" && before?.kind === "word" && before.text === "FORMAT") {
      clause = { format: sql.slice(token.start, token.end), from: beforeFormat };
      isClauseOver = false;
    }
    if (token.kind === "word" && token.text === "FORMAT") {
      beforeFormat = before?.end ?? 0;
    }
    engineClause.take(token);
    before = token;
    end = ended ? end : token.end;
  }
  return { format: clause?.format, outfileAt: clause?.from ?? end, end, inserts, setsProfile };
}

/**
 * Parses the parts of a statement that the HTTP interface needs. It refuses several statements, `INTO OUTFILE`, `FROM
 * INFILE`, `file(…)`, `disk(…)`, and table and database engines on other files or hosts. Other forbidden statements are
 * refused by the engine's grants.
 * @param sql bytes as latin1 characters
 * @throws EngineError
 */
export function readStatement(sql: string): Statement {
  const cursor = new Cursor(sql);
  while (cursor.skip("(")) {}
  const verb = cursor.take()?.text ?? "";
  const insert = verb === "INSERT" ? readInsert(sql, cursor) : undefined;
  const checked = check(insert === undefined ? sql : sql.slice(0, insert.dataAt));
  return insert === undefined ? { verb, ...checked } : { verb, ...checked, insert };
}

/** A name as an identifier of SQL. */
export function quoteIdentifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}

/** An SQL string literal. */
export function quoteString(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/**
 * An insert that reads its rows from a file. Settings after the format are moved before it, because the engine expects
 * them there.
 * @param text the statement; text after `dataAt` is dropped
 */
export function insertFromFile(text: Buffer, insert: InsertStatement, path: string): string {
  const { sourceAt, formatAt, format, formatEnd, dataAt } = insert;
  const part = (from: number, to: number) => utf8Text(text.subarray(from, to)).trim();
  return [
    part(0, sourceAt),
    `FROM INFILE ${quoteString(path)} COMPRESSION 'none'`,
    part(sourceAt, formatAt),
    part(formatEnd, dataAt),
    `FORMAT ${format}`,
  ].join(" ");
}

/**
 * A statement that writes its result to an existing file.
 * @param format format of the result for a statement without `FORMAT`
 */
export function resultToFile(
  text: Buffer,
  { outfileAt, end, format }: Statement,
  path: string,
  fallback: string,
): string {
  return [
    utf8Text(text.subarray(0, outfileAt)),
    `INTO OUTFILE ${quoteString(path)} APPEND COMPRESSION 'none'`,
    format === undefined ? `FORMAT ${fallback}` : utf8Text(text.subarray(outfileAt, end)),
  ].join("\n");
}

/**
 * Rewrites a `KILL QUERY` with the ids of clients. The embedded engine chooses its own query ids, so the client's id is
 * in the query's log_comment.
 * @param sql bytes as latin1 characters
 */
export function killByClientId(sql: string): string {
  let result = "";
  let copied = 0;
  for (const token of tokenize(sql)) {
    if (token.kind !== "string" && token.text.toUpperCase() === "QUERY_ID") {
      result += `${sql.slice(copied, token.start)}Settings['log_comment']`;
      copied = token.end;
    }
  }
  return result + sql.slice(copied);
}
