import { parseDuration } from "../format/parse-duration.ts";

/** Clocks in one network may differ by this many microseconds. A smaller correction is no sign of a fault. */
const smallUs = 10_000;

/** Matches the warning that the query service, like Jaeger, adds to a span whose time it has corrected. */
const correction = /^This span's timestamps were adjusted by -?(\S+)$/;

/** True for a warning about a correction below 10 ms, which is shown only as a note. */
export function isSmallCorrection(warning: string): boolean {
  const [, length] = correction.exec(warning) ?? [];
  const us = length === undefined ? undefined : parseDuration(length);
  return us !== undefined && us < smallUs;
}
