const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Reads a duration in Go's form: `300ms`, `1.5s`, `2h45m`; `d` means days; `0` needs no unit.
 * @returns milliseconds, or undefined when the text is not a duration. Negative durations are refused.
 * Source: Go documentation, package time, ParseDuration
 */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0") {
    return 0;
  }
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d))+$/u.test(text)) {
    return undefined;
  }
  let total = 0;
  for (const [, figure, unit] of text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h|d)/gu)) {
    total += Number(figure) * (unitMs[unit ?? ""] ?? 0);
  }
  return total;
}
