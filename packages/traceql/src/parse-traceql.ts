// Parses a whole query:
//
//     query    = pipeline { "with" "(" hint { "," hint } ")" }
//     pipeline = stage { "|" stage } [ "|" metrics function ]      see pipeline-parser.ts
//     hint     = word "=" value
//
// `{ status = error } | rate() by(name) with(exemplars=true)` is a metrics query with a hint.

import { readStatic } from "./field-parser.ts";
import { type Operand, readPipeline, stageOf } from "./pipeline-parser.ts";
import type { Hint, TraceQlQuery } from "./syntax-tree.ts";
import { TokenReader } from "./token-reader.ts";

/**
 * Parses and checks a query. The result can be executed.
 * @param text at most 65,536 UTF-16 units; `traceQlLimits` has further limits
 * @throws TraceQlError that points at the mistake
 */
export function parseTraceQl(text: string): TraceQlQuery {
  const tokens = new TokenReader(text);
  const operand = readPipeline(tokens);
  const hints: Hint[] = [];
  while (tokens.isWord("with")) {
    hints.push(...readHints(tokens));
  }
  if (tokens.next.kind !== "end") {
    throw tokens.unexpected();
  }
  return rootOf(tokens, operand, hints);
}

/** A search has a pipeline even when the text has a single stage. `coalesce()` alone has no spansets to join. */
function rootOf(tokens: TokenReader, operand: Operand, hints: readonly Hint[]): TraceQlQuery {
  if (operand.kind === "metrics") {
    return { type: "metrics", expression: operand.node, hints };
  }
  if (operand.kind === "stage" && operand.node.type === "coalesce") {
    throw tokens.errorAt(operand.node, "syntax error: unexpected coalesce, a pipeline cannot begin with it");
  }
  const stage = stageOf(tokens, operand);
  const pipeline = stage.type === "pipeline" ? stage : ({ type: "pipeline", stages: [stage] } as const);
  return { type: "search", pipeline, hints };
}

/** Parses `with(name=value, …)`. */
function readHints(tokens: TokenReader): Hint[] {
  const hints: Hint[] = [];
  tokens.take();
  tokens.expect("(");
  do {
    const name = tokens.next;
    if (name.kind !== "word") {
      throw tokens.unexpected("the name of a hint");
    }
    tokens.take();
    tokens.expect("=");
    hints.push({ name: name.text, value: readStatic(tokens).value });
  } while (tokens.accept(","));
  tokens.expect(")");
  return hints;
}
