/** Nanoseconds of each unit. Unicode has two micro signs, U+00B5 and U+03BC. Both are accepted, as in Go. */
const nanoOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
  y: 31_536_000_000_000_000n,
};

/** Units of a printed duration, largest first, so that the text has few parts. */
const printedUnits = ["h", "m", "s", "ms", "us", "ns"];

/**
 * Nanoseconds of a text such as `1h30m`, `1.5s`, `2d`; a day has 24 hours, a year 365 days.
 *
 * | text | nanoseconds |
 * |---|---|
 * | `1h30m` | 5,400,000,000,000 |
 * | `.5s` | 500,000,000 |
 * | `1s1s` | 2,000,000,000: parts with the same unit are added |
 * | `1.5ns` | 1: the part below a nanosecond is dropped |
 * | `1h30` | undefined: the last number has no unit |
 * @returns undefined for a malformed duration
 */
export function parseDuration(text: string): bigint | undefined {
  let nano = 0n;
  let end = 0;
  for (const [part, whole = "", fraction = "", unit = ""] of text.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h|d|w|y)/g,
  )) {
    if (whole === "" && fraction === "") {
      return undefined;
    }
    if (text.indexOf(part, end) !== end) {
      return undefined;
    }
    end += part.length;
    const unitNano = nanoOf[unit] ?? 0n;
    nano += BigInt(whole === "" ? "0" : whole) * unitNano;
    // Further digits are worth less than a nanosecond, even with the unit year.
    const digits = fraction.slice(0, 17);
    if (digits !== "") {
      nano += (BigInt(digits) * unitNano) / 10n ** BigInt(digits.length);
    }
  }
  return end === text.length && end > 0 ? nano : undefined;
}

/**
 * The shortest text of whole units: `1h30m`, `250ms`, `0s`.
 * Days and years become hours: `2d` is printed as `48h`.
 */
export function printDuration(nano: bigint): string {
  if (nano === 0n) {
    return "0s";
  }
  let text = nano < 0n ? "-" : "";
  let rest = nano < 0n ? -nano : nano;
  for (const unit of printedUnits) {
    const unitNano = nanoOf[unit] ?? 1n;
    if (rest < unitNano) {
      continue;
    }
    text += `${rest / unitNano}${unit}`;
    rest %= unitNano;
  }
  return text;
}
