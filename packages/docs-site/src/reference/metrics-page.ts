import { cell, code, row } from "./markdown-cells.ts";

/** One metric as a process describes it. */
interface Metric {
  /** Name, such as `process_open_fds`. */
  readonly name: string;
  /** Type of the metric: `counter`, `gauge`, `histogram`. */
  readonly type: string;
  /** Description of the metric. */
  readonly help: string;
}

/**
 * Reads the descriptions of Prometheus' text format.
 *
 * ```
 * # HELP process_open_fds Open files.
 * # TYPE process_open_fds gauge      →  {name: "process_open_fds", type: "gauge", help: "Open files."}
 * ```
 */
export function describedMetrics(text: string): Metric[] {
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
  return [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = "", help = ""]) => ({
    name,
    help,
    type: types.get(name) ?? "untyped",
  }));
}

/** @param text answer of its metrics endpoint, in Prometheus' format */
export function metricsPage(process: string, text: string): string {
  const all = describedMetrics(text).sort((a, b) => (a.name < b.name ? -1 : 1));
  // Metrics with names of Jaeger and Caddy get no text, because our own metrics explain the same values.
  const isOther = /^(jaeger|caddy)_/;
  const isCommon = /^(process|nodejs)_/;
  const table = (metrics: readonly Metric[]) =>
    ["| Metric | Type | Meaning |", "|---|---|---|"]
      .concat(metrics.map(({ name, type, help }) => row(code(name), type, cell(help))))
      .join("\n");
  const own = all.filter(({ name }) => !isOther.test(name) && !isCommon.test(name));
  const aliases = all.filter(({ name }) => isOther.test(name));
  return `# Metrics of ${process}

As it serves them right after its start; [Observability](../../observability.md) says where.

${table(own)}

## Under the public models' names

${aliases.map(({ name }) => `- ${code(name)}`).join("\n")}

## Of every process of Node

${table(all.filter(({ name }) => isCommon.test(name)))}
`;
}
