import type { IngestReport, ProcessReport } from "../e2e/ingest-report.ts";
import type { Figure } from "./figure.ts";

/** The results of a run, in the order in which they are shown. Failures have lines only when they occurred. */
export function ingestFigures(report: IngestReport): Figure[] {
  const { load, stored, processes, generator, disk } = report;
  const { spans, calls, latencyMs } = load;
  const figures: Figure[] = [
    { label: "spans/s accepted", value: report.acceptedPerSecond, unit: "perSecond", compared: true },
  ];
  if (stored !== undefined) {
    figures.push(
      { label: "spans/s stored", value: stored.perSecond, unit: "perSecond", compared: true },
      { label: "spans accepted", value: spans.accepted, unit: "count" },
      { label: "spans stored", value: stored.spans, unit: "count" },
      { label: "spans LOST after acknowledgement", value: stored.missing, unit: "count" },
    );
    if (stored.surplus > 0) {
      figures.push({ label: "spans beyond those accepted", value: stored.surplus, unit: "count" });
    }
  } else {
    figures.push({ label: "spans accepted", value: spans.accepted, unit: "count" });
  }
  const troubles: [string, number][] = [
    ["spans rejected", spans.rejected],
    ["spans refused for good", spans.failed],
    ["spans given up", spans.givenUp],
    ["spans perhaps sent twice", spans.perhapsTwice],
    ["calls without an answer", calls.unanswered],
  ];
  for (const [label, value] of troubles) {
    if (value > 0) {
      figures.push({ label, value, unit: "count" });
    }
  }
  figures.push({ label: "calls refused (tried again)", value: calls.refused, unit: "count" });
  for (const part of ["p50", "p95", "p99", "max"] as const) {
    figures.push({ label: `export call ${part}, ms`, value: latencyMs[part], unit: "ms", compared: true });
  }
  if (load.behindMs > 0) {
    figures.push({ label: "latest batch behind its time, ms", value: load.behindMs, unit: "ms" });
  }
  figures.push(...cpuFigures(processes), ...memoryFigures(processes));
  figures.push(...cpuFigure("CPU-s/million, load generator", generator));
  if (disk !== undefined) {
    figures.push({ label: "disk bytes/span", value: disk.bytesPerSpan, unit: "bytes", compared: true });
    if (disk.allBytesPerSpan > disk.bytesPerSpan) {
      figures.push({ label: "disk bytes/span, all tables", value: disk.allBytesPerSpan, unit: "bytes" });
    }
    if (disk.optimizedBytesPerSpan !== undefined) {
      figures.push({ label: "disk bytes/span, optimized", value: disk.optimizedBytesPerSpan, unit: "bytes" });
    }
  }
  return figures;
}

function cpuFigure(
  label: string,
  { cpuSecondsPerMillionSpans: value }: ProcessReport,
  compared = false,
): Figure[] {
  return value === undefined ? [] : [{ label, value, unit: "cpuSeconds", compared }];
}

/** The sum comes first, because it is compared. */
function cpuFigures(processes: readonly ProcessReport[]): Figure[] {
  if (processes.length === 0) {
    return [];
  }
  const known = processes.map((process) => process.cpuSecondsPerMillionSpans ?? Number.NaN);
  const together = known.reduce((sum, value) => sum + value, 0);
  if (Number.isNaN(together)) {
    return [];
  }
  return [
    { label: "CPU-s/million spans", value: together, unit: "cpuSeconds", compared: true },
    ...(processes.length === 1
      ? []
      : processes.flatMap((process) => cpuFigure(`CPU-s/million, ${process.name}`, process))),
  ];
}

function memoryFigures(processes: readonly ProcessReport[]): Figure[] {
  if (processes.length === 0) {
    return [];
  }
  const together = processes.reduce((sum, { rssPeakBytes }) => sum + rssPeakBytes, 0);
  return [
    { label: "RSS peak, MiB", value: together, unit: "mebibytes", compared: true },
    ...(processes.length === 1
      ? []
      : processes.map(
          ({ name, rssPeakBytes }): Figure => ({
            label: `RSS peak, MiB, ${name}`,
            value: rssPeakBytes,
            unit: "mebibytes",
          }),
        )),
  ];
}
