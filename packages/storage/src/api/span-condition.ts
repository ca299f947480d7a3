import type { Field, FieldExpression, SpansetExpression, TraceQlQuery } from "traceql";

/** Intrinsics whose values depend on other spans of the trace. */
const ofTrace: ReadonlySet<string> = new Set([
  ...["span:childCount", "trace:duration", "trace:rootName", "trace:rootService"],
  ...["nestedSetLeft", "nestedSetRight", "nestedSetParent"],
]);

/**
 * Turns a query into a condition on single spans, for readers that see one span at a time.
 * @returns undefined when the query also needs other spans of the trace, or sets of spans
 */
export function spanConditionOf(query: TraceQlQuery): FieldExpression | undefined {
  return query.type === "search" ? ofExpression(query.pipeline) : undefined;
}

function ofExpression(expression: SpansetExpression): FieldExpression | undefined {
  switch (expression.type) {
    case "filter":
      return isOfSpan(expression.condition) ? expression.condition : undefined;
    case "pipeline": {
      const conditions = expression.stages.map((stage) =>
        stage.type === "filter" || stage.type === "pipeline" || stage.type === "spanset-operation"
          ? ofExpression(stage)
          : stage.type === "select"
            ? everySpan
            : undefined,
      );
      return conditions.reduce((one, other) => joined("&&", one, other));
    }
    case "spanset-operation":
      // `&&` needs two spans, so only `||` can become a condition on one span.
      return expression.operator === "||"
        ? joined("||", ofExpression(expression.left), ofExpression(expression.right))
        : undefined;
  }
}

const everySpan: FieldExpression = { type: "static", value: { type: "bool", value: true } };

function joined(
  operator: "&&" | "||",
  left: FieldExpression | undefined,
  right: FieldExpression | undefined,
): FieldExpression | undefined {
  return left === undefined || right === undefined ? undefined : { type: "binary", operator, left, right };
}

function isOfSpan(expression: FieldExpression): boolean {
  switch (expression.type) {
    case "static":
      return true;
    case "attribute":
    case "intrinsic":
      return isFieldOfSpan(expression);
    case "unary":
    case "exists":
      return isOfSpan(expression.operand);
    case "binary":
      return isOfSpan(expression.left) && isOfSpan(expression.right);
  }
}

function isFieldOfSpan(field: Field): boolean {
  return field.type === "attribute" ? !field.ofParent : !ofTrace.has(field.name);
}
