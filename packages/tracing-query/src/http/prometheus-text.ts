// Prometheus, "Exposition formats", text format 0.0.4.

/** The lines before the samples of a metric: name, type and help. */
export function metricHead(name: string, type: "counter" | "histogram", help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

/** The labels of a sample in the form between braces. */
export function labelsText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(",");
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (one) => (one === "\n" ? "\\n" : `\\${one}`));
}

export interface Histogram {
  readonly calls: number;
  readonly durationMs: number;
  /** Number of calls by bucket: from the previous entry of `boundsMs` up to its own. */
  readonly buckets: readonly number[];
  readonly boundsMs: readonly number[];
}

/**
 * Writes the samples of one histogram.
 * @param shown bounds to write; each must be among the counted bounds
 * @param unitMs milliseconds in one unit of the metric
 */
export function histogramText(
  name: string,
  labels: string,
  { calls, durationMs, buckets, boundsMs }: Histogram,
  { shown, unitMs }: { readonly shown: readonly number[]; readonly unitMs: number },
): string {
  const wanted = new Set(shown);
  let below = 0;
  let text = "";
  for (const [index, bound] of boundsMs.entries()) {
    below += buckets[index] ?? 0;
    if (wanted.has(bound)) {
      text += `${name}_bucket{${labels},le="${bound / unitMs}"} ${below}\n`;
    }
  }
  text += `${name}_bucket{${labels},le="+Inf"} ${calls}\n`;
  text += `${name}_sum{${labels}} ${durationMs / unitMs}\n`;
  return `${text}${name}_count{${labels}} ${calls}\n`;
}
