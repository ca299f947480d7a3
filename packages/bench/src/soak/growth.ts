/** How a quantity went over the last half of a run. */
export interface Growth {
  /** Median of the last half. */
  readonly median: number;
  /** The slope of the last half, multiplied by its length; below zero when the value fell. */
  readonly grown: number;
  /** The same in an hour. */
  readonly perHour: number;
  /** It grew by more than the run's noise explains. */
  readonly isGrowing: boolean;
}

/** One look at a quantity. */
export interface Point {
  /** Since the begin. */
  readonly seconds: number;
  readonly value: number;
}

/** A twentieth of what there is comes and goes. */
const tolerated = 0.05;
/** The last half is looked at in so many windows. */
const windows = 8;

/**
 * Looks at the last half of a run only: until then caches fill up. The floor decides, the least value of each window of
 * time: memory that is freed later is not a leak. The slope is the median of those between all pairs of floors, which
 * single peaks do not move; and the last floor must lie above the first one.
 * @param least growth below it is none, whatever the size
 * Source: Theil-Sen estimator
 */
export function growthOf(points: readonly Point[], least: number): Growth {
  const half = points.slice(Math.floor(points.length / 2));
  const floors = floorsOf(half);
  const slopes: number[] = [];
  for (const [index, from] of floors.entries()) {
    for (const to of floors.slice(index + 1)) {
      if (to.seconds > from.seconds) {
        slopes.push((to.value - from.value) / (to.seconds - from.seconds));
      }
    }
  }
  const slope = median(slopes);
  const middle = median(half.map(({ value }) => value));
  const grown = slope * ((half.at(-1)?.seconds ?? 0) - (half[0]?.seconds ?? 0));
  const limit = Math.max(least, middle * tolerated);
  const fromFirstToLast = (floors.at(-1)?.value ?? 0) - (floors[0]?.value ?? 0);
  return {
    ...{ median: middle, grown, perHour: slope * 3_600 },
    isGrowing: grown > limit && fromFirstToLast > limit,
  };
}

function floorsOf(points: readonly Point[]): Point[] {
  const size = Math.max(1, points.length / windows);
  const floors: Point[] = [];
  for (let from = 0; from < points.length; from += size) {
    const window = points.slice(Math.round(from), Math.round(from + size));
    const floor = window.toSorted((a, b) => a.value - b.value)[0];
    if (floor !== undefined) {
      floors.push(floor);
    }
  }
  return floors;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
