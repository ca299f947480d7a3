import "./partial-banner.css";
import { Icon } from "ui-kit/components/icon.tsx";
import { clockText, dateText, type TimeZone } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { type PartialReason, usePartialReasons } from "../api/partial-answers.ts";

/**
 * Maximum number of reasons shown at first. A cluster with many lost shards would fill the page; the others are behind
 * a click.
 */
const mostInSight = 3;

/** Shows above a page which shard or part is missing in the answers, and for which time. Empty for complete answers. */
export function PartialBanner() {
  const reasons = usePartialReasons();
  const zone = useChoice(zoneChoice);
  if (reasons.length === 0) {
    return null;
  }
  const items = (some: readonly PartialReason[]) =>
    some.map((reason) => (
      <li key={`${reason.kind} ${reason.name}`}>
        {reason.text}
        {timeText(reason, zone)}
      </li>
    ));
  return (
    <section className="partial-banner" role="status" aria-label="What is missing">
      <Icon name="warning" />
      <div className="partial-banner-text">
        <p>Partial answer: spans are missing from this page.</p>
        <ul>{items(reasons.slice(0, mostInSight))}</ul>
        {reasons.length > mostInSight && (
          <details>
            <summary>{reasons.length - mostInSight} more</summary>
            <ul>{items(reasons.slice(mostInSight))}</ul>
          </details>
        )}
      </div>
    </section>
  );
}

/** The missing time range as text, in the time zone of the page. */
function timeText({ startUnixMs, endUnixMs }: PartialReason, zone: TimeZone): string {
  if (startUnixMs === undefined || endUnixMs === undefined) {
    return "";
  }
  const [from, to] = [startUnixMs, endUnixMs].map((ms) => {
    const us = ms * 1_000;
    return `${dateText(us, zone)} ${clockText(us, zone).slice(0, 8)}`;
  });
  return ` (${from} to ${to})`;
}
