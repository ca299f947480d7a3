/** Change of a quantity over the last half of a run. */
export interface Growth {
  /** Median over the last half of the run. */
  readonly median: number;
  /** The slope over the last half, multiplied by its length; negative when the value fell. */
  readonly grown: number;
  /** The same growth per hour. */
  readonly perHour: number;
  /** True when it grew by more than the noise of the run explains. */
  readonly isGrowing: boolean;
}

/** One sample of a quantity. */
export interface Point {
  /** Seconds since the start of the run. */
  readonly seconds: number;
  readonly value: number;
}

/** Fraction of the median that may come and go without counting as growth. */
const tolerated = 0.05;
/** Number of windows into which the last half is divided. */
const windows = 8;

/**
 * Uses only the last half of a run, because caches fill up before. Only the lowest value of each window counts, its
 * floor: memory that is freed later is not a leak. The slope is the median of the slopes between all pairs of floors,
 * so that single peaks do not change it; also, the last floor must be above the first.
 * @param least smaller growth never counts. Source: Theil-Sen estimator
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
