/** One sample of Prometheus' text format: `requests_total{server="srv0"} 12`. */
export interface MetricSample {
  /** Name of the metric: `requests_total`. */
  name: string;
  /** Label values by name: `{server: "srv0"}`. */
  labels: Record<string, string>;
  /** Value of the sample; NaN and infinities are possible. */
  value: number;
}

/** Matches a sample: name, labels in braces, value, and an optional timestamp, which is ignored. */
const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
/** Matches `name="value"` in the braces; the value may contain escaped quotes. */
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
/** The three escapes of label values. */
const escapes: Record<string, string> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

/**
 * Parses samples in Prometheus' text format; invalid lines are skipped. Example: `up{job="a"} 1` gives `{name: "up",
 * labels: {job: "a"}, value: 1}`.
 * @param wanted names of metrics; others are skipped, because a response has thousands of lines. Source: Prometheus,
 * "Exposition formats", text format 0.0.4
 */
export function readMetrics(text: string, wanted: ReadonlySet<string>): MetricSample[] {
  const samples: MetricSample[] = [];
  for (const row of text.split("\n")) {
    if (row.startsWith("#")) {
      continue;
    }
    const [, name = "", labels = "", value = ""] = line.exec(row) ?? [];
    if (!wanted.has(name)) {
      continue;
    }
    samples.push({ name, labels: readLabels(labels), value: Number(value) });
  }
  return samples;
}

/** Parses `a="1",b="x\"y"` to `{a: "1", b: 'x"y'}`. */
function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(label)) {
    labels[name] = value.replaceAll(/\\[n"\\]/g, (escaped) => escapes[escaped] ?? escaped);
  }
  return labels;
}
