import { type Growth, growthOf, type Point } from "./growth.ts";
import { linePlot, type Panel } from "./line-plot.ts";
import type { SoakResult, SoakSample } from "./run-soak.ts";

/** A quantity that must stop growing. */
export interface Watched {
  /** Name of a process, or of data on disk. */
  readonly of: string;
  readonly what: "RSS, MiB" | "open files" | "disk, MiB";
  readonly growth: Growth;
}

const mebibyte = 1024 * 1024;
/** Smaller growth in half a run is not reported. */
const least = { rssMiB: 12, openFiles: 6, diskMiB: 64 } as const;

/**
 * RSS and open files of each process over the last half of the run, the journal, and the storage if its size is
 * limited.
 */
export function watched({ plan, samples }: SoakResult): Watched[] {
  const disk = [
    ...[{ of: "journal", points: pointsOf(samples, journal) }],
    ...(plan.limitsDisk === true ? [{ of: "storage", points: pointsOf(samples, storage) }] : []),
  ];
  return [
    ...namesOf(samples).flatMap((name) => [
      { of: name, what: "RSS, MiB" as const, growth: growthOf(rss(samples, name), least.rssMiB) },
      { of: name, what: "open files" as const, growth: growthOf(files(samples, name), least.openFiles) },
    ]),
    ...disk.map(({ of, points }) => ({
      ...{ of, what: "disk, MiB" as const, growth: growthOf(points, least.diskMiB) },
    })),
  ];
}

/** Problems of a run; empty for a good run. */
export function soakProblems(result: SoakResult): string[] {
  const problems = watched(result)
    .filter(({ growth }) => growth.isGrowing)
    .map(({ of, what, growth }) => `${of}: ${what} grows by ${growth.perHour.toFixed(1)} an hour`);
  const { expected, found } = result.stored;
  const perhapsTwice = result.grpc.spans.perhapsTwice + result.http.spans.perhapsTwice;
  if (found < expected) {
    problems.push(`${expected - found} acknowledged spans are missing`);
  }
  if (found > expected + perhapsTwice) {
    problems.push(`${found - expected} spans too many are stored`);
  }
  for (const { table, day, counts, missing, surplus } of result.derived) {
    problems.push(`${table} of ${day}: ${missing} ${counts} missing, ${surplus} too many`);
  }
  const { sent, delivered, dropped } = result.agent;
  if (delivered + dropped < sent) {
    problems.push(`${sent - delivered - dropped} packets the agent does not tell of`);
  }
  if (result.searches.failed > 0) {
    problems.push(
      `${result.searches.failed} of ${result.searches.asked} searches failed: ${result.searches.failure}`,
    );
  }
  const givenUp = result.grpc.spans.givenUp + result.http.spans.givenUp;
  if (givenUp > 0) {
    problems.push(`${givenUp} spans were given up by their senders`);
  }
  return problems;
}

/** Writes the result as a text for the terminal. */
export function describeSoak(result: SoakResult): string {
  const { samples, grpc, http, searches, agent, stored } = result;
  const last = samples.at(-1);
  const accepted = grpc.spans.accepted + http.spans.accepted;
  const loads = samples.map(({ load }) => load);
  const rows = watched(result).map(({ of, what, growth }) => {
    const figures = `${growth.median.toFixed(0).padStart(6)}  ${signed(growth.grown).padStart(7)}  ${signed(growth.perHour).padStart(9)}`;
    return `${of.padEnd(18)}${what.padEnd(12)}${figures}  ${growth.isGrowing ? "GROWS" : "levels off"}`;
  });
  const problems = soakProblems(result);
  return `${[
    `${((last?.seconds ?? 0) / 60).toFixed(1)} minutes, ${samples.length} samples, load average ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`,
    `spans acknowledged: ${grpc.spans.accepted} over gRPC, ${http.spans.accepted} over HTTP through admin-server`,
    `rate: ${(accepted / Math.max(1, last?.seconds ?? 0)).toFixed(0)} a second of ${result.plan.rate} planned, at most ${Math.max(grpc.behindMs, http.behindMs).toFixed(0)} ms late`,
    `spans over UDP: ${agent.sent} sent, ${agent.delivered} delivered, ${agent.dropped} dropped and counted`,
    `spans stored: ${stored.found} of ${stored.expected}, ${stored.dropped} of them dropped since by retention`,
    `calls refused or unanswered: ${grpc.calls.refused + http.calls.refused}, ${grpc.calls.unanswered + http.calls.unanswered}`,
    `searches: ${searches.asked}, ${searches.failed} failed`,
    `disk: ${((last?.storageBytes ?? 0) / mebibyte).toFixed(0)} MiB of storage, ${((last?.storageBytes ?? 0) / Math.max(1, stored.found - stored.dropped)).toFixed(0)} bytes a span`,
    "",
    `${"".padEnd(18)}${"".padEnd(12)}median  growth   an hour   (last half)`,
    ...rows,
    "",
    problems.length === 0 ? "nothing is wrong" : problems.join("\n"),
  ].join("\n")}\n`;
}

/** The result as a picture for the documentation. */
export function drawSoak({ samples }: SoakResult, title: string): string {
  const names = namesOf(samples);
  const series = (take: (sample: SoakSample) => number | undefined) => pointsOf(samples, take);
  const panels: Panel[] = [
    {
      ...{ title: "resident memory", unit: "MiB" },
      lines: names.map((name) => ({ name, points: rss(samples, name) })),
    },
    {
      ...{ title: "open files and sockets", unit: "" },
      lines: names.map((name) => ({ name, points: files(samples, name) })),
    },
    {
      ...{ title: "disk", unit: "MiB" },
      lines: [
        { name: "storage", points: series(storage) },
        { name: "journal", points: series(journal) },
      ],
    },
    {
      ...{ title: "95th percentile of the time to an acknowledgement", unit: "ms" },
      lines: [
        { name: "gRPC, collector", points: series(({ grpcP95Ms }) => grpcP95Ms) },
        { name: "HTTP, admin-server", points: series(({ httpP95Ms }) => httpP95Ms) },
      ],
    },
    {
      ...{ title: "95th percentile of searches and traces by id", unit: "ms" },
      lines: [{ name: "through both", points: series(({ searchP95Ms }) => searchP95Ms) }],
    },
    {
      ...{ title: "load average of the machine", unit: "" },
      lines: [{ name: "all its programs", points: series(({ load }) => load) }],
    },
  ];
  return linePlot(title, panels);
}

function storage({ storageBytes }: SoakSample): number {
  return storageBytes / mebibyte;
}

function journal({ journalBytes }: SoakSample): number {
  return journalBytes / mebibyte;
}

function namesOf(samples: readonly SoakSample[]): string[] {
  return Object.keys(samples[0]?.processes ?? {});
}

function rss(samples: readonly SoakSample[], name: string): Point[] {
  return pointsOf(samples, (sample) => (sample.processes[name]?.rssBytes ?? 0) / mebibyte);
}

function files(samples: readonly SoakSample[], name: string): Point[] {
  return pointsOf(samples, (sample) => sample.processes[name]?.openFiles ?? 0);
}

function pointsOf(samples: readonly SoakSample[], take: (sample: SoakSample) => number | undefined): Point[] {
  return samples.flatMap((sample) => {
    const value = take(sample);
    return value === undefined ? [] : [{ seconds: sample.seconds, value }];
  });
}

function signed(value: number): string {
  return `${value < 0 ? "" : "+"}${value.toFixed(1)}`;
}
