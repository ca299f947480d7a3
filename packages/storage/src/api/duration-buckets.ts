/** Buckets for each doubling of the duration; each bucket is 9 % wide. */
export const bucketsPerDoubling = 8;

/** The bucket that a duration is counted in: 0 for up to a nanosecond, 504 for the longest. */
export function durationBucket(durationNano: bigint): number {
  return durationNano <= 1n ? 0 : Math.floor(Math.log2(Number(durationNano)) * bucketsPerDoubling);
}

/**
 * A quantile of durations that were counted in buckets, in nanoseconds; within its bucket by interpolation. In the
 * highest bucket it is the shortest duration that the bucket takes: interpolation could exceed the longest duration.
 * @param counts by bucket; 0 is returned when there are none
 * @param quantile 0 to 1
 */
export function quantileNano(counts: ReadonlyMap<number, number>, quantile: number): number {
  let total = 0;
  for (const count of counts.values()) {
    total += count;
  }
  const rank = quantile * total;
  let below = 0;
  let last = 0;
  for (const [bucket, count] of [...counts].sort(([one], [other]) => one - other)) {
    if (count <= 0) {
      continue;
    }
    const isHighest = below + count >= total;
    if (below + count >= rank) {
      return nanoOfPosition(isHighest ? bucket : bucket + (rank - below) / count);
    }
    below += count;
    last = bucket + 1;
  }
  return total === 0 ? 0 : nanoOfPosition(last);
}

/** Converts a position among buckets to nanoseconds; 1.5 is in the middle of bucket 1. */
export function nanoOfPosition(position: number): number {
  return 2 ** (position / bucketsPerDoubling);
}

/**
 * The share of counted durations that are no longer than this one, 0 to 1; within its bucket by interpolation.
 * @param counts by bucket, not all 0
 */
export function shareNoLonger(counts: ReadonlyMap<number, number>, durationNano: bigint): number {
  const own = durationBucket(durationNano);
  let total = 0;
  let below = 0;
  for (const [bucket, count] of counts) {
    total += count;
    if (bucket < own) {
      below += count;
    }
  }
  const within = durationNano <= 1n ? 1 : Math.log2(Number(durationNano)) * bucketsPerDoubling - own;
  const inOwn = counts.get(own) ?? 0;
  // The duration is usually one of the counted ones.
  return (below + Math.min(inOwn, Math.max(1, inOwn * within))) / total;
}

/** Buckets of calls between services are wider, so that there are fewer rows of them. */
export const callBucketsPerDoubling = 4;

/** The bucket that a call between services is counted in: 0 for up to a nanosecond, 252 for the longest. */
export function callBucket(durationNano: bigint): number {
  return durationNano <= 1n ? 0 : Math.floor(Math.log2(Number(durationNano)) * callBucketsPerDoubling);
}

/** The duration in the middle of a bucket of calls, in nanoseconds: off by at most a tenth from all that it holds. */
export function durationOfCallBucket(bucket: number): number {
  return 2 ** ((bucket + 0.5) / callBucketsPerDoubling);
}

/** The duration in the middle of a bucket, in nanoseconds: off by at most 5 % from all that it holds. */
export function durationOfBucket(bucket: number): number {
  return nanoOfPosition(bucket + 0.5);
}
