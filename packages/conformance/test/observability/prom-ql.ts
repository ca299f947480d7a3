// Names in a PromQL expression, read with the parser of Prometheus' own editor.

import { parser } from "@prometheus-io/lezer-promql";

/** An expression of a dashboard with values for Grafana's variables: durations, and parts of texts. */
export function withoutVariables(expression: string): string {
  return expression.replaceAll("$__rate_interval", "5m").replaceAll("$instance", "i");
}

export interface NamedByExpression {
  /** Metrics and recorded series. */
  readonly metrics: readonly string[];
  /** Labels that selectors and groupings name. */
  readonly labels: readonly string[];
}

/** @throws Error for invalid PromQL, with the place */
export function readExpression(expression: string): NamedByExpression {
  const text = withoutVariables(expression);
  const metrics = new Set<string>();
  const labels = new Set<string>();
  const textOf = (node: { readonly from: number; readonly to: number }) => text.slice(node.from, node.to);
  parser.parse(text).iterate({
    enter(node) {
      if (node.type.isError) {
        throw new Error(`no PromQL at character ${node.from}: ${expression}`);
      }
      if (node.name === "VectorSelector" && node.node.firstChild !== null) {
        metrics.add(textOf(node.node.firstChild));
      } else if (node.name === "LabelName") {
        labels.add(textOf(node));
      }
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
}

/** The metric of a series, without the suffix of a histogram's series. */
export function metricOf(series: string, known: (name: string) => boolean): string {
  return known(series) ? series : series.replace(/_(?:bucket|sum|count)$/, "");
}
