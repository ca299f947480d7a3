import type { Trace } from "./trace.ts";

/** Which spans are folded, said for all at once. */
export type FoldRule =
  /** Spans at this level and deeper: this number of levels is shown. */
  | { by: "depth"; levels: number }
  /** Spans shorter than this, microseconds. */
  | { by: "duration"; us: number }
  /** Spans of a service: what is below them is hidden. */
  | { by: "service"; name: string };

/** The spans that a rule folds: those with children alone. */
export function foldedBy(trace: Trace, rule: FoldRule): Set<number> {
  const folds = testOf(trace, rule);
  const folded = new Set<number>();
  for (let span = 0; span < trace.spans.length; span += 1) {
    if ((trace.subtreeEnd[span] as number) > span + 1 && folds(span)) {
      folded.add(span);
    }
  }
  return folded;
}

function testOf(trace: Trace, rule: FoldRule): (span: number) => boolean {
  switch (rule.by) {
    case "depth":
      return (span) => (trace.depth[span] as number) + 1 >= rule.levels;
    case "duration":
      return (span) => (trace.spanUs[span] as number) < rule.us;
    case "service": {
      const service = trace.services.indexOf(rule.name);
      return (span) => trace.service[span] === service;
    }
  }
}

/** The rule as an address writes it. It holds a colon, which ids of spans never do. */
export function foldRuleText(rule: FoldRule): string {
  switch (rule.by) {
    case "depth":
      return `depth:${rule.levels}`;
    case "duration":
      return `shorter:${rule.us}`;
    case "service":
      return `service:${rule.name}`;
  }
}

/** Reads what `foldRuleText` wrote; undefined for a text that is no rule. */
export function parseFoldRule(text: string | undefined): FoldRule | undefined {
  const [, by, value = ""] = /^(depth|shorter|service):(.+)$/s.exec(text ?? "") ?? [];
  if (by === "service") {
    return { by, name: value };
  }
  const number = Number(value);
  if (!Number.isFinite(number) || number <= 0) {
    return undefined;
  }
  if (by === "depth") {
    return { by, levels: Math.floor(number) };
  }
  return by === "shorter" ? { by: "duration", us: number } : undefined;
}

/** Durations that are offered, microseconds: round ones that some spans of the trace exceed. */
export function offeredDurations(trace: Trace): readonly number[] {
  return [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 60_000_000].filter(
    (us) => us < trace.durationUs && us * 10_000 >= trace.durationUs,
  );
}
