import type { Figure } from "../report/figure.ts";
import type { Column } from "../report/table.ts";
import type { PacedReport } from "./paced-searches.ts";
import type { LiveReport } from "./run-live.ts";

/** The results of a run, in the order in which they are shown. */
export function liveColumn(report: LiveReport): Column {
  const { title, load, missing, storedSpans, freshness, live, quiet, cpu } = report;
  const figures: Figure[] = [
    {
      label: "spans/s accepted",
      value: load.spans.accepted / load.seconds,
      unit: "perSecond",
      compared: true,
    },
    { label: "latest batch behind its time, ms", value: load.behindMs, unit: "ms" },
    { label: "spans stored", value: storedSpans, unit: "count" },
    { label: "spans LOST after acknowledgement", value: missing, unit: "count" },
    { label: "calls refused (tried again)", value: load.calls.refused, unit: "count" },
    {
      label: "found after its acknowledgement, p50 ms",
      value: freshness.latencyMs.p50,
      unit: "ms",
      compared: true,
    },
    { label: "… p99 ms", value: freshness.latencyMs.p99, unit: "ms", compared: true },
    { label: "… not found", value: freshness.notFound, unit: "count" },
    ...live.flatMap((kind) =>
      searchFigures(
        kind,
        quiet.find(({ name }) => name === kind.name),
      ),
    ),
    ...cpu.flatMap(({ name, liveSeconds, quietSeconds }): Figure[] => [
      { label: `CPU-s, ${name}, with ingest`, value: liveSeconds, unit: "cpuSeconds", compared: true },
      { label: `CPU-s, ${name}, quiet`, value: quietSeconds, unit: "cpuSeconds", compared: true },
    ]),
    ...cpu.map(
      ({ name, rssPeakBytes }): Figure => ({
        label: `RSS peak, MiB, ${name}`,
        value: rssPeakBytes,
        unit: "mebibytes",
        compared: true,
      }),
    ),
  ];
  return { title, figures };
}

function searchFigures(live: PacedReport, quiet: PacedReport | undefined): Figure[] {
  const { name } = live;
  const found = ({ asked, empty, failed }: PacedReport) => asked > empty + failed;
  const figures: Figure[] = [];
  const parts = ["p50", "p95"] as const;
  for (const part of parts) {
    if (found(live)) {
      figures.push({ label: `${name}, ${part} ms`, value: live.latencyMs[part], unit: "ms", compared: true });
    }
    if (quiet !== undefined && found(quiet)) {
      figures.push({
        ...{ label: `${name}, ${part} ms, quiet`, unit: "ms", compared: true },
        value: quiet.latencyMs[part],
      });
      if (found(live)) {
        const value = live.latencyMs[part] / quiet.latencyMs[part];
        figures.push({ label: `${name}, ${part} with ingest : quiet`, value, unit: "ratio" });
      }
    }
  }
  const empty = live.empty + (quiet?.empty ?? 0);
  const failed = live.failed + (quiet?.failed ?? 0);
  figures.push({ label: `${name}, found nothing`, value: empty, unit: "count" });
  if (failed > 0) {
    figures.push({ label: `${name}, FAILED`, value: failed, unit: "count" });
  }
  return figures;
}

/** The problems of a run; empty for a good run. */
export function liveProblems({ missing, load, live, quiet, freshness }: LiveReport): string[] {
  const problems: string[] = [];
  if (missing > 0) {
    problems.push(`${missing} acknowledged spans are missing`);
  }
  if (load.spans.givenUp > 0) {
    problems.push(`${load.spans.givenUp} spans were given up by their senders`);
  }
  if (freshness.notFound > 0) {
    problems.push(`${freshness.notFound} of ${freshness.probes} fresh traces were not found in time`);
  }
  for (const { name, asked, failed, failure } of [...live, ...quiet]) {
    if (failed > 0) {
      problems.push(`${name}: ${failed} of ${asked} failed: ${failure}`);
    }
  }
  return problems;
}
