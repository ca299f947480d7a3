import { readField, readFieldExpression, shown } from "./field-parser.ts";
import type { Aggregate, Field, GroupStage, SelectStage, SpansetFilter } from "./syntax-tree.ts";
import type { TokenReader } from "./token-reader.ts";
import { isNumeric, referencesSpan, typeOf } from "./value-types.ts";

/**
 * Parses `{ condition }`. `{ }` and `{}` select every span. The condition must be a boolean or an attribute, whose type
 * may differ between spans: `{ .retry }` is allowed, `{ duration }` is not.
 * @throws TraceQlError
 */
export function readFilter(tokens: TokenReader): SpansetFilter {
  const { offset } = tokens;
  tokens.expect("{");
  if (tokens.accept("}")) {
    const condition = { type: "static", value: { type: "bool", value: true } } as const;
    return tokens.placed({ type: "filter", condition }, offset);
  }
  const condition = readFieldExpression(tokens);
  tokens.expect("}");
  const type = typeOf(condition);
  if (type !== "bool" && type !== "attribute") {
    throw tokens.errorAt(
      condition,
      `span filter field expressions must resolve to a boolean: { ${shown(condition)} }`,
    );
  }
  return tokens.placed({ type: "filter", condition }, offset);
}

/**
 * Parses `count()`, `min(…)`, `max(…)`, `avg(…)` and `sum(…)`. All except `count` have an expression for a number that
 * may differ between spans: `avg(duration)` is allowed, `avg(name)` and `avg(5)` are not.
 * @throws TraceQlError
 */
export function readAggregate(tokens: TokenReader): Aggregate {
  const { offset } = tokens;
  const aggregate = tokens.take().text as Aggregate["aggregate"];
  tokens.expect("(");
  if (aggregate === "count") {
    tokens.expect(")");
    return tokens.placed({ type: "aggregate", aggregate }, offset);
  }
  const operand = readFieldExpression(tokens);
  tokens.expect(")");
  const node = tokens.placed({ type: "aggregate", aggregate, operand } as const, offset);
  const type = typeOf(operand);
  const text = `${aggregate}(${shown(operand)})`;
  if (type !== "attribute" && !isNumeric(type)) {
    throw tokens.errorAt(node, `aggregate field expressions must resolve to a number type: ${text}`);
  }
  if (!referencesSpan(operand)) {
    throw tokens.errorAt(node, `aggregate field expressions must reference the span: ${text}`);
  }
  return node;
}

/**
 * Parses `by(expression)`, which splits each spanset by a value: `by(resource.service.name)`, `by(duration > 1s)`.
 * @throws TraceQlError for a value that is the same for all spans
 */
export function readGroup(tokens: TokenReader): GroupStage {
  const { offset } = tokens;
  tokens.take();
  tokens.expect("(");
  const expression = readFieldExpression(tokens);
  tokens.expect(")");
  if (!referencesSpan(expression)) {
    throw tokens.errorAt(
      expression,
      `grouping field expressions must reference the span: by(${shown(expression)})`,
    );
  }
  return tokens.placed({ type: "group", expression }, offset);
}

/** `select(field, …)`. @throws TraceQlError */
export function readSelect(tokens: TokenReader): SelectStage {
  const { offset } = tokens;
  tokens.take();
  return tokens.placed({ type: "select", fields: readFields(tokens) }, offset);
}

/** Parses `(field, …)`. */
function readFields(tokens: TokenReader): Field[] {
  tokens.expect("(");
  const fields = [readField(tokens)];
  while (tokens.accept(",")) {
    fields.push(readField(tokens));
  }
  tokens.expect(")");
  return fields;
}
