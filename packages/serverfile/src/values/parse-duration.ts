/** Nanoseconds of each unit. A day has 24 hours. */
const unitsNs: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
  d: 86_400e9,
};
const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h|d)/y;
/** Maximum duration, as in Go: 64 bits with a sign, about 292 years. */
const maxDurationNs = 2 ** 63;

/**
 * Parses a duration such as `1h30m`, `-500ms`, `1.5d`, `0`.
 * @returns nanoseconds
 * @throws Error `time: invalid duration "x"`
 */
export function parseDuration(text: string): number {
  const sign = text.startsWith("-") ? -1 : 1;
  const digits = /^[+-]/.test(text) ? text.slice(1) : text;
  if (digits === "0") {
    return 0;
  }
  let total = 0;
  part.lastIndex = 0;
  let at = 0;
  while (at < digits.length && digits.length <= 1024) {
    const match = part.exec(digits);
    const [whole = "", integer = "", fraction = "", unit = ""] = match ?? [];
    if (match === null || integer + fraction === "") {
      throw new Error(`time: invalid duration ${JSON.stringify(text)}`);
    }
    const unitNs = unitsNs[unit] ?? 1;
    total += Number(integer) * unitNs + Math.trunc(Number(`0.${fraction || "0"}`) * unitNs);
    at += whole.length;
  }
  if (at === 0 || total >= maxDurationNs) {
    throw new Error(`time: invalid duration ${JSON.stringify(text)}`);
  }
  return sign * total || 0;
}
