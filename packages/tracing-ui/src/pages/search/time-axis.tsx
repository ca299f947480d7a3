import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { timeTicks } from "../../trace/time-ticks.ts";

/** Times of day below a chart. @param startUs, endUs microseconds since 1970 */
export function TimeAxis({ startUs, endUs }: { startUs: number; endUs: number }) {
  const zone = useChoice(zoneChoice);
  const seconds = endUs - startUs < 120e6;
  return (
    <ul className="time-axis" aria-hidden="true">
      {timeTicks(startUs, endUs, 6).map((us) => (
        // Half of the text stands on each side; at the end it would stand out of the page.
        <li
          key={us}
          style={{
            left: `min(${(100 * (us - startUs)) / (endUs - startUs)}%, 100% - ${seconds ? 4 : 2.5}ch)`,
          }}
        >
          {clockText(us, zone).slice(0, seconds ? 8 : 5)}
        </li>
      ))}
    </ul>
  );
}
