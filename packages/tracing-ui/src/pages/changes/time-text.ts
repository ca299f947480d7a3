import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";

/**
 * A time range in the chosen time zone: `11-21 14:00–15:00`, or with two dates when the range spans days.
 * `start` and `end` are in microseconds since 1970.
 */
export function timeText({ start, end }: { start: number; end: number }): string {
  const zone = zoneChoice.get();
  const [from, to] = [dateText(start, zone), dateText(end, zone)];
  const clock = (us: number) => clockText(us, zone).slice(0, 5);
  return from === to
    ? `${from.slice(5)} ${clock(start)}–${clock(end)}`
    : `${from.slice(5)} ${clock(start)} – ${to.slice(5)} ${clock(end)}`;
}
