import { binding } from "./binding.ts";
import { negated } from "./field-parser.ts";
import { foldedScalar } from "./fold-scalar.ts";
import type { ArithmeticOperator, ComparisonOperator, SecondStage, Static } from "./syntax-tree.ts";
import type { TokenReader } from "./token-reader.ts";

const comparisons: ReadonlySet<string> = new Set(["=", "!=", "<", "<=", ">", ">="]);
/** Maximum argument of `topk()` and `bottomk()`. */
const maxSeries = 10_000n;

/**
 * Parses any number of stages after a metrics function:
 *
 * - `> 10` keeps the samples above 10
 * - `> 100ms` compares series of durations, which are in seconds, with 0.1
 * - `> 2 * 3` is computed while it is parsed
 * - `| topk(5)` keeps the five series with the largest values at each time
 * @throws TraceQlError
 */
export function readSecondStages(tokens: TokenReader): SecondStage[] {
  const stages: SecondStage[] = [];
  for (;;) {
    if (tokens.next.kind === "symbol" && comparisons.has(tokens.next.text)) {
      const operator = tokens.take().text as ComparisonOperator;
      stages.push({ type: "metrics-filter", operator, value: readNumber(tokens) });
    } else if (tokens.isSymbol("|")) {
      tokens.take();
      stages.push(readRanking(tokens));
    } else {
      return stages;
    }
  }
}

/** Parses `topk(n)` or `bottomk(n)` after the `|`. @throws TraceQlError for an n outside 1 to `maxSeries` */
function readRanking(tokens: TokenReader): SecondStage {
  const { next } = tokens;
  if (next.kind !== "word" || (next.text !== "topk" && next.text !== "bottomk")) {
    throw tokens.unexpected("topk", "bottomk");
  }
  tokens.take();
  tokens.expect("(");
  const limit = tokens.next;
  if (limit.kind !== "int") {
    throw tokens.unexpected("a whole number");
  }
  tokens.take();
  if (limit.value < 1n || limit.value > maxSeries) {
    throw tokens.errorAt(
      tokens.placed({}, limit.offset),
      `the limit ${limit.text} of ${next.text}() is not from 1 to ${maxSeries}`,
    );
  }
  tokens.expect(")");
  return { type: next.text, limit: Number(limit.value) };
}

/** A number, or an expression of numbers; a duration is converted to seconds, which series of durations use. */
function readNumber(tokens: TokenReader): number {
  const { offset } = tokens;
  const value = readConstant(tokens, 3);
  if (value.type === "duration") {
    return Number(value.value) / 1e9;
  }
  if (value.type === "int" || value.type === "float") {
    return Number(value.value);
  }
  throw tokens.errorAt(tokens.placed({}, offset), "the series can be compared with a number only");
}

/** An expression of numbers, evaluated while parsing. `%` and `^` are not allowed. */
function readConstant(tokens: TokenReader, minBinding: number): Static {
  const { offset } = tokens;
  let left = tokens.within(() => readConstantOperand(tokens));
  for (;;) {
    const { kind, text } = tokens.next;
    const strength = kind === "symbol" && /^[-+*/]$/.test(text) ? (binding[text] ?? 0) : 0;
    if (strength === 0 || strength < minBinding) {
      return left;
    }
    tokens.take();
    const right = readConstant(tokens, strength + 1);
    const folded = foldedScalar(text as ArithmeticOperator, left, right);
    if (typeof folded === "string") {
      throw tokens.errorAt(tokens.placed({}, offset), folded);
    }
    left = folded;
  }
}

function readConstantOperand(tokens: TokenReader): Static {
  if (tokens.accept("-")) {
    return negated(tokens.within(() => readConstantOperand(tokens)));
  }
  if (tokens.accept("(")) {
    const value = readConstant(tokens, 3);
    tokens.expect(")");
    return value;
  }
  const token = tokens.next;
  switch (token.kind) {
    case "int":
    case "duration":
      tokens.take();
      return { type: token.kind, value: token.value };
    case "float":
      tokens.take();
      return { type: "float", value: token.value };
    default:
      throw tokens.unexpected("a number");
  }
}
