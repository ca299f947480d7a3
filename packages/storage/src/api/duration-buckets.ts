/** Buckets for each doubling of the duration; each bucket is 9 % wide. */
export const bucketsPerDoubling = 8;

/** Index of a duration's bucket: 0 for durations up to a nanosecond, 504 for the longest durations. */
export function durationBucket(durationNano: bigint): number {
  return durationNano <= 1n ? 0 : Math.floor(Math.log2(Number(durationNano)) * bucketsPerDoubling);
}

/**
 * Estimates a quantile of durations in nanoseconds from counts by bucket, interpolated within the bucket. For the
 * highest bucket, the estimate is the bucket's lower bound, because interpolation could exceed the longest duration.
 * @param counts number of durations by bucket; with no counts the result is 0
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
 * Share of the counted durations that are not longer than this duration, 0 to 1, interpolated within its bucket.
 * @param counts number of durations by bucket, not all 0
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
  // The count in the bucket is at least 1, because the duration itself is usually one of the counted durations.
  return (below + Math.min(inOwn, Math.max(1, inOwn * within))) / total;
}

/** Calls between services use wider buckets (four for each doubling), so that the table of calls has fewer rows. */
export const callBucketsPerDoubling = 4;

/**
 * Index of the bucket for a call between services: 0 for durations up to a nanosecond, 252 for the longest durations.
 */
export function callBucket(durationNano: bigint): number {
  return durationNano <= 1n ? 0 : Math.floor(Math.log2(Number(durationNano)) * callBucketsPerDoubling);
}

/** Middle of a bucket of calls in nanoseconds. It differs by at most 10 % from every duration in the bucket. */
export function durationOfCallBucket(bucket: number): number {
  return 2 ** ((bucket + 0.5) / callBucketsPerDoubling);
}

/** Middle of a bucket in nanoseconds. It differs by at most 5 % from every duration in the bucket. */
export function durationOfBucket(bucket: number): number {
  return nanoOfPosition(bucket + 0.5);
}
