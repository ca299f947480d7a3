import { parseDuration } from "../format/parse-duration.ts";

/** Clocks of machines in one network differ by less: a correction below it says nothing about a fault. */
const smallUs = 10_000;

/** The warning that the query service, as the public model, adds to a span that it moved. */
const correction = /^This span's timestamps were adjusted by -?(\S+)$/;

/** Whether a warning only says that a span was moved by less than 10 ms, which is worth a note. */
export function isSmallCorrection(warning: string): boolean {
  const [, length] = correction.exec(warning) ?? [];
  const us = length === undefined ? undefined : parseDuration(length);
  return us !== undefined && us < smallUs;
}
