import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { timeTicks } from "../../trace/time-ticks.ts";

/**
 * Times of day below a chart, with enough digits to distinguish the ticks.
 * @param startUs microseconds since 1970
 * @param endUs   microseconds since 1970
 */
export function TimeAxis({ startUs, endUs }: { startUs: number; endUs: number }) {
  const zone = useChoice(zoneChoice);
  const spanUs = endUs - startUs;
  // The label ends with the unit that distinguishes the ticks: minutes, seconds, milliseconds or microseconds.
  const letters = spanUs >= 120e6 ? 5 : spanUs >= 6e6 ? 8 : spanUs >= 6e3 ? 12 : 15;
  return (
    <ul className="time-axis" aria-hidden="true">
      {timeTicks(startUs, endUs, letters > 8 ? 4 : 6).map((us) => (
        // Labels are centred on their tick; the last label would overflow the page.
        <li
          key={us}
          style={{
            left: `min(${(100 * (us - startUs)) / (endUs - startUs)}%, 100% - ${letters / 2}ch)`,
          }}
        >
          {clockText(us, zone, 6).slice(0, letters)}
        </li>
      ))}
    </ul>
  );
}
