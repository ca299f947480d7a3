/** Microseconds of each unit in Go's duration format. Both signs for micro, U+00B5 and U+03BC, are in use. */
const unitUs: Record<string, number> = {
  ns: 0.001,
  us: 1,
  µs: 1,
  μs: 1,
  ms: 1_000,
  s: 1_000_000,
  m: 60_000_000,
  h: 3_600_000_000,
};

/**
 * Parses a duration in Go's format, as the query service does: `1.5s`, `300ms`, `2h45m`, `0`.
 * @returns microseconds; undefined when the text is not a duration, such as a number without a unit other than 0
 */
export function parseDuration(text: string): number | undefined {
  if (text === "0") {
    return 0;
  }
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) {
    return undefined;
  }
  let us = 0;
  for (const [, figure, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    us += Number(figure) * (unitUs[unit as string] as number);
  }
  return us;
}
