/** Keywords of clauses; each begins a new line. */
const clauses =
  /^(SELECT|FROM|WHERE|GROUP\s+BY|ORDER\s+BY|HAVING|LIMIT|OFFSET|UNION(\s+ALL)?|INTERSECT|EXCEPT|VALUES|SET|RETURNING|ON\s+CONFLICT|ON\s+DUPLICATE\s+KEY|(NATURAL\s+)?((LEFT|RIGHT|FULL|INNER|CROSS)\s+)?(OUTER\s+)?JOIN|INSERT\s+INTO|DELETE\s+FROM|UPDATE|WITH)\b/i;
/** Keywords that begin an indented line within a clause. */
const conditions = /^(AND|OR)\b/i;
/** Strings, quoted names, comments and words: tokens that no line break may split. */
const part =
  /'(?:[^'\\]|\\.|'')*'?|"(?:[^"]|"")*"?|`[^`]*`?|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*\n?|\/\*[\s\S]*?\*\/|[\p{L}_@:$][\p{L}\p{N}_.$@:]*|\s+|[\s\S]/gu;
/**
 * Number of characters before a word that `endsInClause` searches. A search through all of a long statement at each
 * word would cost the square of its length.
 */
const mostLookBack = 40;
/**
 * Beginnings of statements. UPDATE and WITH are common in prose, so they need the word that follows in SQL.
 */
const begins = /^\s*(SELECT|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|WITH\s+\S+\s+AS)\b/i;

/** True when a text begins like an SQL statement. */
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
  /** True after BETWEEN: the next AND is part of BETWEEN and begins no new line. */
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

/** True when the next token begins a word. Without this check `t.from` would begin a clause. */
function startsWord(out: string): boolean {
  return out === "" || /[\s(]$/.test(out);
}

/** True when the clause's line has begun already: `JOIN` after `LEFT`, `INTO` after `INSERT`. */
function endsInClause(out: string): boolean {
  return (
    /(^|\n)\s*(NATURAL|LEFT|RIGHT|FULL|INNER|CROSS|OUTER|UNION|INSERT|DELETE|\s)+$/i.test(out) &&
    /\S\s$/.test(out)
  );
}

/** The output so far with a line break and the indent appended; "" when there is no output yet. */
function broken(out: string, depth: number): string {
  return out === "" ? "" : `${out.trimEnd()}\n${indent(depth)}`;
}
