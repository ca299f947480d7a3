import type { Trace } from "./trace.ts";

/** A rule that folds many spans at once. */
export type FoldRule =
  /** Folds spans at this level and deeper, so that this number of levels is shown. */
  | { by: "depth"; levels: number }
  /** Folds spans shorter than this, in microseconds. */
  | { by: "duration"; us: number }
  /** Folds the spans of a service: their descendants are hidden. */
  | { by: "service"; name: string };

/** The spans that a rule folds. Only spans with children are included. */
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

/** The rule as text for an address. The text contains a colon, which span ids never do. */
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

/** The inverse of `foldRuleText`; undefined for a text that is not a rule. */
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

/**
 * Offered durations in microseconds: round values from a ten-thousandth of the trace's duration up to the whole
 * duration.
 */
export function offeredDurations(trace: Trace): readonly number[] {
  return [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 60_000_000].filter(
    (us) => us < trace.durationUs && us * 10_000 >= trace.durationUs,
  );
}
