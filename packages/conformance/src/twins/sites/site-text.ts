/** A statement of a serverfile: one line, or a block with its statements. */
export interface Statement {
  readonly line: string;
  /** Undefined for a line without a block. */
  readonly block?: readonly Statement[];
}

/**
 * Reads a text as statements. A text of several lines (heredoc, quotes) counts as one statement for each line. This is
 * enough for shrinking, because the servers refuse a text that is no longer a serverfile.
 */
export function readStatements(text: string): Statement[] {
  const root: Statement[] = [];
  const open: { line: string; block: Statement[] }[] = [];
  for (const line of text.split("\n").map((each) => each.trim())) {
    const inner = open.at(-1)?.block ?? root;
    if (line === "}" && open.length > 0) {
      const done = open.pop();
      (open.at(-1)?.block ?? root).push(done as Statement);
    } else if (line === "{" || line.endsWith(" {")) {
      open.push({ line, block: [] });
    } else if (line !== "") {
      inner.push({ line });
    }
  }
  for (const rest of open.reverse()) {
    root.push(rest);
  }
  return root;
}

function* lines(statements: readonly Statement[], depth: number): Generator<string> {
  for (const { line, block } of statements) {
    yield "\t".repeat(depth) + line;
    if (block !== undefined) {
      yield* lines(block, depth + 1);
      yield `${"\t".repeat(depth)}}`;
    }
  }
}

export function writeStatements(statements: readonly Statement[]): string {
  return `${[...lines(statements, 0)].join("\n")}\n`;
}

/** The text without the statement that starts on this line (counted from 1), or that contains this line. */
export function withoutLine(
  statements: readonly Statement[],
  wanted: number,
): readonly Statement[] | undefined {
  let at = 0;
  const visit = (list: readonly Statement[]): readonly Statement[] | undefined => {
    for (const [index, { line, block }] of list.entries()) {
      const begin = ++at;
      const inner = block === undefined ? undefined : visit(block);
      if (block !== undefined) {
        at++;
      }
      if (begin === wanted || (block !== undefined && at === wanted)) {
        return list.toSpliced(index, 1);
      }
      if (inner !== undefined && inner !== block) {
        return list.toSpliced(index, 1, { line, block: inner });
      }
    }
    return undefined;
  };
  return visit(statements);
}
