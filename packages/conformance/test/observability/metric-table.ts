// The table of metrics in the docs, made from the metrics of real processes.

/** One metric in Prometheus' text format. */
export interface ServedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** Reads HELP, TYPE and the labels of samples. */
export function servedMetrics(text: string): ServedMetric[] {
  const helps = new Map<string, string>();
  const types = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  for (const line of text.split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (kind === "HELP") {
      helps.set(name, rest);
    }
    if (kind === "TYPE") {
      types.set(name, rest);
    }
    const [, series = "", inner = ""] = /^([a-z]\w*)\{(.*)\}/i.exec(line) ?? [];
    const metric = types.has(series) ? series : series.replace(/_(?:bucket|sum|count)$/, "");
    const names = labels.get(metric) ?? new Set<string>();
    for (const [, label = ""] of inner.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) {
      names.add(label);
    }
    labels.set(metric, names);
  }
  return [...types].map(([name, type]) => ({
    name,
    type,
    help: helps.get(name) ?? "",
    labels: [...(labels.get(name) ?? [])].filter((label) => label !== "le").sort(),
  }));
}

/** The unit of a metric, from its name by Prometheus' conventions; other units are listed in this function. */
export function unitOf({ name, type }: ServedMetric): string {
  if (/_(latency|http_request_duration)$/.test(name) || /_seconds(_total)?$/.test(name)) {
    return "seconds";
  }
  if (/_bytes(_total|_on_disk)?$/.test(name)) {
    return "bytes";
  }
  if (/(_up|_full|_leader|_successful|_healthy|build_info)$/.test(name)) {
    return "0 or 1";
  }
  if (/(spans?(_\w+)?_total|queue_length|queue_capacity)$/.test(name)) {
    return "spans";
  }
  return type === "histogram" ? "count" : "";
}

/** The second name of a metric; "" when it has only one. */
export function publicName(name: string, all: ReadonlySet<string>): string {
  const candidates = [
    name.replace(/^tracing_/, "jaeger_"),
    name.replace(/^server_http_route_/, "caddy_http_"),
    name.replace(/^server_(?!http_)/, "caddy_"),
  ];
  return candidates.find((each) => each !== name && all.has(each)) ?? "";
}

/** Rows of Markdown for the metrics that only one process has. */
export function metricTable(metrics: readonly ServedMetric[]): string {
  const all = new Set(metrics.map(({ name }) => name));
  const rows = metrics
    .filter(({ name }) => /^(tracing|server)_/.test(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((metric) => {
      const { name, type, help } = metric;
      const also = publicName(name, all);
      return `| \`${name}\` | ${type} | ${unitOf(metric)} | ${help.replaceAll("|", "\\|")} | ${also && `\`${also}\``} |`;
    });
  return ["| Metric | Type | Unit | Meaning | Also as |", "|---|---|---|---|---|", ...rows].join("\n");
}
