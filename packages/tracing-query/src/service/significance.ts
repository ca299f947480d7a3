import { fewestSpans } from "storage/api";

/**
 * Two estimates differ by more than chance when they are more than this many standard errors apart. One in a thousand
 * pairs of equal populations is further apart. A list compares many values, so a lower limit would always report some.
 */
const mostStandardErrors = 3.3;

/**
 * True when shares differ by more than chance. The test assumes that spans are independent.
 * @returns undefined when a side has too few spans for a verdict
 */
export function shareDiffers(
  a: { readonly count: number; readonly of: number },
  b: { readonly count: number; readonly of: number },
): boolean | undefined {
  if (a.of < fewestSpans || b.of < fewestSpans) {
    return undefined;
  }
  const pooled = (a.count + b.count) / (a.of + b.of);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / a.of + 1 / b.of));
  return error > 0 && Math.abs(a.count / a.of - b.count / b.of) / error > mostStandardErrors;
}

type Buckets = readonly (readonly [bucket: number, spans: number])[];

/**
 * True when durations differ by more than chance: Welch's test of their logarithms, which have no long tail.
 * @param a,b spans by bucket of duration
 * @returns undefined when a side has too few spans for a verdict
 */
export function durationDiffers(a: Buckets, b: Buckets): boolean | undefined {
  const [one, other] = [momentsOf(a), momentsOf(b)];
  if (one.count < fewestSpans || other.count < fewestSpans) {
    return undefined;
  }
  const error = Math.sqrt(one.variance / one.count + other.variance / other.count);
  return Math.abs(one.mean - other.mean) > mostStandardErrors * error;
}

function momentsOf(buckets: Buckets): { count: number; mean: number; variance: number } {
  let [count, sum, squares] = [0, 0, 0];
  for (const [bucket, spans] of buckets) {
    count += spans;
    sum += spans * bucket;
    squares += spans * bucket * bucket;
  }
  const mean = count === 0 ? 0 : sum / count;
  // Variance within a bucket: durations in one bucket differ by up to its width.
  const within = 1 / 12;
  return { count, mean, variance: count < 2 ? 0 : Math.max(0, squares / count - mean * mean) + within };
}
