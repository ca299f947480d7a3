/** Words that begin a line of their own: the clauses of a statement. */
const clauses =
  /^(SELECT|FROM|WHERE|GROUP\s+BY|ORDER\s+BY|HAVING|LIMIT|OFFSET|UNION(\s+ALL)?|INTERSECT|EXCEPT|VALUES|SET|RETURNING|ON\s+CONFLICT|ON\s+DUPLICATE\s+KEY|(NATURAL\s+)?((LEFT|RIGHT|FULL|INNER|CROSS)\s+)?(OUTER\s+)?JOIN|INSERT\s+INTO|DELETE\s+FROM|UPDATE|WITH)\b/i;
/** Words that begin a line within a clause. */
const conditions = /^(AND|OR)\b/i;
/** Strings, quoted names, comments, and words: what a line may not be broken within. */
const part =
  /'(?:[^'\\]|\\.|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*\n?|\/\*[\s\S]*?\*\/|[\p{L}_@:$][\p{L}\p{N}_.$@:]*|\s+|[\s\S]/gu;
/**
 * Letters before a word that say whether a clause has begun there. A search through all of a long statement
 * at each word would cost the square of its length.
 */
const mostLookBack = 40;
/**
 * Beginnings of statements. UPDATE and WITH are common in prose, so they need the word that follows in SQL.
 */
const begins = /^\s*(SELECT|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|WITH\s+\S+\s+AS)\b/i;

/** Whether a text reads as a statement of SQL. */
export function isSql(text: string): boolean {
  return begins.test(text);
}

/**
 * Lays out a statement with a line for each clause and condition. Only blanks between its parts change, so
 * a copy is the same statement. Example: `SELECT a FROM t WHERE b = 1 AND c = 2` becomes four lines, the
 * last one `  AND c = 2`.
 */
export function formatSql(text: string): string {
  let out = "";
  let depth = 0;
  /** AND after BETWEEN is no condition. */
  let between = false;
  const source = text.trim();
  for (const match of source.matchAll(part)) {
    const [word] = match;
    const rest = source.slice(match.index, match.index + 40);
    if (word.startsWith("--")) {
      out = `${out.trimEnd()} ${word.trimEnd()}\n${indent(depth)}`.replace(/^ /, "");
    } else if (/^\s+$/.test(word)) {
      if (out !== "" && !/\s$/.test(out)) {
        out += " ";
      }
    } else if (clauses.test(rest) && startsWord(out) && !endsInClause(out.slice(-mostLookBack))) {
      out = broken(out, depth) + word;
    } else if (conditions.test(rest) && startsWord(out) && !between) {
      out = broken(out, depth + 1) + word;
    } else {
      if (/^between$/i.test(word)) {
        between = true;
      } else if (/^and$/i.test(word)) {
        between = false;
      }
      if (word === "(") {
        depth += 1;
      } else if (word === ")") {
        depth = Math.max(0, depth - 1);
      }
      out += word;
    }
  }
  return out.trimEnd();
}

/** Two spaces for each open parenthesis. */
function indent(depth: number): string {
  return "  ".repeat(depth);
}

/** Whether the next part begins a word, so that `t.from` is no clause. */
function startsWord(out: string): boolean {
  return out === "" || /[\s(]$/.test(out);
}

/** `LEFT` has begun the line that `JOIN` goes on, and `INSERT` that of `INTO`. */
function endsInClause(out: string): boolean {
  return (
    /(^|\n)\s*(NATURAL|LEFT|RIGHT|FULL|INNER|CROSS|OUTER|UNION|INSERT|DELETE|\s)+$/i.test(out) &&
    /\S\s$/.test(out)
  );
}

/** The text so far, with a new line behind it; "" at the very beginning. */
function broken(out: string, depth: number): string {
  return out === "" ? "" : `${out.trimEnd()}\n${indent(depth)}`;
}
