const view = new DataView(new ArrayBuffer(8));

/** 16 until a value has doubled. */
const bucketBits = 48n;

/**
 * The bucket of a number: the first bits of it as a double, so the same everywhere, to the bit. 0 for what is not above 0.
 * A bucket ends with the number that the next one begins after. ClickHouse:
 * `bitShiftRight(reinterpretAsUInt64(x) - 1, 48)`.
 */
export function floatBucket(value: number): number {
  if (!(value > 0)) return 0;
  view.setFloat64(0, value);
  return Number((view.getBigUint64(0) - 1n) >> bucketBits);
}

/** What the values of a bucket are above. */
export function floatBucketStart(bucket: number): number {
  if (bucket <= 0) return 0;
  view.setBigUint64(0, BigInt(bucket) << bucketBits);
  return view.getFloat64(0);
}

/** The least power of two that no value of the bucket is above, as Tempo's histograms have it. */
export function powerOfTwoAbove(bucket: number): number {
  if (bucket <= 0) return 0;
  return 2 ** (Math.floor(bucket / 16) - 1023 + 1);
}

/** Off by at most 6 %; values within a bucket are taken for evenly spread. NaN of nothing. */
export function floatQuantile(counts: ReadonlyMap<number, number>, quantile: number): number {
  const buckets = [...counts].sort(([one], [other]) => one - other);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return Number.NaN;
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
