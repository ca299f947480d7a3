const view = new DataView(new ArrayBuffer(8));

/** 16 buckets for each doubling of a value. */
const bucketBits = 48n;

/**
 * Index of the number's bucket: the leading 16 bits of its double, so all engines agree. Numbers up to 0 have bucket 0.
 * A bucket excludes its lower bound and includes its upper bound. ClickHouse: `bitShiftRight(reinterpretAsUInt64(x) -
 * 1, 48)`.
 */
export function floatBucket(value: number): number {
  if (!(value > 0)) {
    return 0;
  }
  view.setFloat64(0, value);
  return Number((view.getBigUint64(0) - 1n) >> bucketBits);
}

/** Lower bound of a bucket; all values in the bucket are greater. */
export function floatBucketStart(bucket: number): number {
  if (bucket <= 0) {
    return 0;
  }
  view.setBigUint64(0, BigInt(bucket) << bucketBits);
  return view.getFloat64(0);
}

/** Smallest power of two that is not below any value of the bucket, as in Tempo's histograms. */
export function powerOfTwoAbove(bucket: number): number {
  if (bucket <= 0) {
    return 0;
  }
  return 2 ** (Math.floor(bucket / 16) - 1023 + 1);
}

/**
 * Quantile of counted numbers, accurate to 6 %. Values are assumed to be spread evenly within a bucket. The result is
 * NaN when there are no values.
 */
export function floatQuantile(counts: ReadonlyMap<number, number>, quantile: number): number {
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) {
    return Number.NaN;
  }
  const rank = quantile * total;
  let below = 0;
  for (const [bucket, count] of buckets) {
    if (below + count >= rank) {
      const start = floatBucketStart(bucket);
      return (
        start +
        (floatBucketStart(bucket + 1) - start) * (bucket <= 0 ? 0 : Math.max(0, (rank - below) / count))
      );
    }
    below += count;
  }
  return floatBucketStart((buckets.at(-1)?.[0] ?? 0) + 1);
}
