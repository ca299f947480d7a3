/** One sample of Prometheus' text format. */
export interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const line = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const label = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
const escapes: Record<string, string> = { "\\n": "\n", '\\"': '"', "\\\\": "\\" };

/**
 * Reads samples out of Prometheus' text format; lines that are none are passed over.
 * @param wanted names of metrics; others are not read
 * Source: Prometheus, "Exposition formats", text format 0.0.4
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

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(label)) {
    labels[name] = value.replaceAll(/\\[n"\\]/g, (escaped) => escapes[escaped] ?? escaped);
  }
  return labels;
}
