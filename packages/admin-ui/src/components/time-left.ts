const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * A duration in one figure: `23 days`, `5 hours`, `12 minutes`, `40 seconds`. A unit is used from two upwards, so the
 * rounding error stays below half.
 * @param ms milliseconds, not negative
 */
export function lengthText(ms: number): string {
  const [size, unit] =
    ms >= 2 * dayMs
      ? [dayMs, "day"]
      : ms >= 2 * hourMs
        ? [hourMs, "hour"]
        : ms >= 2 * minuteMs
          ? [minuteMs, "minute"]
          : [1_000, "second"];
  const count = Math.max(0, Math.floor(ms / size));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/** A relative time: `5 minutes ago`, `in 23 days`. @param ms milliseconds; negative for the past */
export function awayText(ms: number): string {
  return ms < 0 ? `${lengthText(-ms)} ago` : `in ${lengthText(ms)}`;
}
