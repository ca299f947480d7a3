import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";

/**
 * A time with seconds, in the time zone that the user chose: `2026-11-21 14:02:11`.
 * @param at RFC 3339
 */
export function Moment({ at }: { at: string }) {
  const zone = useChoice(zoneChoice);
  const us = Date.parse(at) * 1_000;
  return (
    <time dateTime={at} className="mono">
      {dateText(us, zone)} {clockText(us, zone).slice(0, 8)}
    </time>
  );
}
