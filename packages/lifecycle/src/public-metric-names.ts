const ours = /^((?:# (?:HELP|TYPE) )?)tracing_/;

/**
 * Gives each metric `tracing_x` a second time as `jaeger_x`, the name that dashboards and alerts of the public model
 * look for.
 * @param text of `Registry.metrics`, Prometheus' text format
 */
export function withPublicMetricNames(text: string): string {
  const again = text
    .split("\n")
    .filter((line) => ours.test(line))
    .map((line) => line.replace(ours, "$1jaeger_"));
  return again.length === 0 ? text : `${text.trimEnd()}\n\n${again.join("\n")}\n`;
}
