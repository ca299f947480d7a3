import type { TraceQlMetrics } from "storage/api";
import type { MetricsExpression, MetricsOperand, TraceQlQuery } from "traceql";

/**
 * The query for one value over a whole range. Its step is as long as the range's end time, so the only sample covers
 * all spans of the range. A rate is computed as a count divided by the range, because the step is longer than
 * the range.
 * @param seconds length of the range
 */
export function instantQuery(query: TraceQlQuery, seconds: number): TraceQlQuery {
  if (query.type !== "metrics" || query.expression.type === "metrics-comparison") {
    return query;
  }
  return { ...query, expression: overRange(query.expression, seconds) };
}

/** Restores the name `rate` in series whose name is the function that replaced `rate`. */
export function renamed(metrics: TraceQlMetrics, query: TraceQlQuery): TraceQlMetrics {
  if (query.type !== "metrics" || !isRate(query.expression)) {
    return metrics;
  }
  const series = metrics.series.map((one) => ({
    ...one,
    labels: one.labels.map(([key, value]) =>
      key === "__name__" ? ([key, { type: "string", value: "rate" }] as const) : ([key, value] as const),
    ),
  }));
  return { ...metrics, series };
}

function isRate(expression: MetricsExpression): boolean {
  return expression.type === "metrics-pipeline" && expression.aggregate.function === "rate";
}

function overRange(expression: MetricsOperand, seconds: number): MetricsOperand {
  switch (expression.type) {
    case "static":
      return expression;
    case "metrics-math": {
      const { left, right } = expression;
      return { ...expression, left: overRange(left, seconds), right: overRange(right, seconds) };
    }
    case "metrics-pipeline": {
      const { aggregate, secondStages } = expression;
      if (aggregate.function !== "rate") {
        return expression;
      }
      return {
        type: "metrics-math",
        operator: "/",
        left: {
          ...expression,
          aggregate: { ...aggregate, function: "count_over_time" },
          secondStages: [],
        },
        right: { type: "static", value: { type: "float", value: seconds } },
        secondStages,
      };
    }
  }
}
