import { readField } from "./field-parser.ts";
import { traceQlLimits } from "./limits.ts";
import type { Field, MetricsAggregate, MetricsFunction } from "./syntax-tree.ts";
import type { TokenReader } from "./token-reader.ts";

/** Functions that count spans and therefore have no argument. */
const withoutField: ReadonlySet<string> = new Set(["rate", "count_over_time"]);
const functions: ReadonlySet<string> = new Set([
  ...withoutField,
  ...["min_over_time", "max_over_time", "avg_over_time", "sum_over_time"],
  ...["quantile_over_time", "histogram_over_time", "compare"],
]);

/** True for the name of a function that turns spansets into series. Such a word after `|` ends the pipeline. */
export function isMetricsFunction(word: string): boolean {
  return functions.has(word);
}

/**
 * Parses a metrics function and its groups:
 *
 *     aggregate = "rate" "(" ")" | "count_over_time" "(" ")"
 *               | "quantile_over_time" "(" field "," number { "," number } ")"
 *               | name "(" field ")"
 *     groups    = "by" "(" field { "," field } ")"
 *
 * `rate() by(resource.service.name)` results in one series for each service. `quantile_over_time(duration, .5, .99)`
 * results in two series for each group.
 * @throws TraceQlError
 */
export function readMetricsAggregate(tokens: TokenReader): MetricsAggregate {
  const { text } = tokens.take();
  const name = text as MetricsFunction;
  tokens.expect("(");
  const field = withoutField.has(name) ? undefined : readField(tokens);
  const quantiles = name === "quantile_over_time" ? readQuantiles(tokens) : [];
  tokens.expect(")");
  const by = tokens.isWord("by") ? readBy(tokens) : [];
  return { function: name, ...(field === undefined ? {} : { field }), quantiles, by };
}

/** The numbers after the field; there is at least one number, and each is from 0 to 1. */
function readQuantiles(tokens: TokenReader): number[] {
  const quantiles: number[] = [];
  tokens.expect(",");
  do {
    const token = tokens.next;
    if (token.kind !== "int" && token.kind !== "float") {
      throw tokens.unexpected("a number");
    }
    const value = Number(token.value);
    tokens.take();
    if (!(value >= 0 && value <= 1)) {
      throw tokens.errorAt(tokens.placed({}, token.offset), `quantile ${token.text} is not from 0 to 1`);
    }
    quantiles.push(value);
  } while (tokens.accept(","));
  return quantiles;
}

/** `by(.a, span.b)`. The limit of fields bounds the number of series. */
function readBy(tokens: TokenReader): Field[] {
  const { offset } = tokens;
  tokens.take();
  tokens.expect("(");
  const fields = [readField(tokens)];
  while (tokens.accept(",")) {
    fields.push(readField(tokens));
  }
  tokens.expect(")");
  if (fields.length > traceQlLimits.groupBys) {
    throw tokens.errorAt(
      tokens.placed({}, offset),
      `${fields.length} fields in by() are over the limit of ${traceQlLimits.groupBys}`,
    );
  }
  return fields;
}
