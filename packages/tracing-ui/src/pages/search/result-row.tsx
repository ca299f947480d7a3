import { Link } from "@tanstack/react-router";
import { CutNames } from "ui-kit/components/cut-name.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { toggleChosen } from "../../searches/chosen-traces.ts";
import { isArriving } from "../../trace/is-arriving.ts";
import type { TraceSummary } from "../../trace/summarise-trace.ts";
import { type ServiceMenuHandle, serviceMenuId } from "./service-menu.tsx";

/** The inputs of {@link ResultRow}. */
interface ResultRowProps {
  row: TraceSummary;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Services that have a column each, from left to right. */
  places: readonly string[];
  /** Duration of the longest trace of the list, in microseconds. A full bar has this length. */
  longestUs: number;
  /** Extra columns: attributes in TraceQL syntax. */
  columns: readonly string[];
  /** Called with the services of the trace when the user asks for all of them. The browser opens the menu. */
  onServices: ServiceMenuHandle["show"];
  /** `A` or `B` when the trace is chosen for a comparison, else ""; undefined when traces cannot be chosen. */
  side: string | undefined;
}

/**
 * One trace of the result list; the whole row links to the trace. A note on a trace without a root says if the root is
 * still expected or lost.
 */
export function ResultRow(props: ResultRowProps) {
  const { row, hues, places, longestUs, columns, onServices, side } = props;
  const zone = useChoice(zoneChoice);
  const day = dateText(row.startUs, zone);
  return (
    <tr className={row.errors > 0 ? "result failed" : "result"}>
      <td className="mono col-start">
        {side !== undefined && <ChooseBox row={row} side={side} />}
        {day !== dateText(Date.now() * 1_000, zone) && <span className="unit">{day.slice(5)} </span>}
        {clockText(row.startUs, zone).slice(0, 8)}
        <span className="result-fraction">{clockText(row.startUs, zone).slice(8)}</span>
      </td>
      <th scope="row" className="cut col-root">
        <Link to="/trace/$traceId" params={{ traceId: row.traceId }} className="result-link">
          <ServiceMark hue={hues.get(row.rootService)} />
          <CutNames service={row.rootService} operation={row.rootOperation} />
        </Link>
        {!row.rootFound &&
          (isArriving(row.startUs + row.durationUs, Date.now() * 1_000) ? (
            <span className="result-note" title="The first span is sent when it ends: it may be on its way.">
              arriving
            </span>
          ) : (
            <span className="result-note" title="The first span of this trace is not in the store.">
              root missing
            </span>
          ))}
      </th>
      <td className="col-services">
        <ServiceCounts {...{ row, hues, places, onServices }} />
      </td>
      {columns.map((column) => (
        <ValueCell key={column} values={row.values?.[column] ?? []} />
      ))}
      <td className="mono col-number col-spans">{formatCount(row.spans)}</td>
      <td className="mono col-number">
        {row.errors > 0 ? (
          <span className="result-errors">{formatCount(row.errors)}</span>
        ) : (
          <span className="unit">–</span>
        )}
      </td>
      <td className="col-duration">
        <span className="result-duration">
          <span className="result-track">
            <span className="result-bar" style={{ width: `${(100 * row.durationUs) / longestUs}%` }} />
          </span>
          <Duration us={row.durationUs} />
        </span>
      </td>
    </tr>
  );
}

/** A checkbox that chooses the trace for a comparison. The tooltip has the letter of the side. */
function ChooseBox({ row, side }: { row: TraceSummary; side: string }) {
  const { traceId, rootService, rootOperation, durationUs } = row;
  const name = `${rootService} ${rootOperation}`;
  return (
    <input
      type="checkbox"
      className="result-choice"
      title={side === "" ? "Choose for comparing" : `${side} of the comparison`}
      aria-label={`Compare ${name}`}
      checked={side !== ""}
      onChange={() => toggleChosen({ traceId, name, durationUs })}
    />
  );
}

/** The values of an extra column: the first value, and the number of others. */
function ValueCell({ values }: { values: readonly string[] }) {
  const [first, ...others] = values;
  return (
    <td className="col-value cut" title={values.join("\n")}>
      {first === undefined ? <span className="unit">–</span> : <bdi>{first}</bdi>}
      {others.length > 0 && <span className="muted"> +{others.length}</span>}
    </td>
  );
}

/**
 * Span counts by service. A service has the same column in every row, so that rows are easy to compare. A button
 * opens the menu of all services. In narrow windows only the button is shown.
 */
function ServiceCounts(props: Pick<ResultRowProps, "row" | "hues" | "places" | "onServices">) {
  const { row, hues, places, onServices } = props;
  const { services, traceId } = row;
  const of = `${row.rootService} ${row.rootOperation}`;
  const others = services.filter(({ name }) => !places.includes(name));
  const failed = others.filter(({ errors }) => errors > 0).length;
  return (
    <span className="service-counts mono">
      {places.map((name) => {
        const service = services.find((entry) => entry.name === name);
        if (service === undefined) {
          return <span key={name} />;
        }
        return (
          <span
            key={name}
            className={service.errors > 0 ? "service-count failed" : "service-count"}
            title={`${name} ${service.spans}${service.errors > 0 ? ` (${service.errors} failed)` : ""}`}
          >
            <ServiceMark hue={hues.get(name)} />
            <span className="visually-hidden">{name} </span>
            {shortCount(service.spans)}
            {service.errors > 0 && (
              <span className="visually-hidden"> of which {formatCount(service.errors)} failed</span>
            )}
          </span>
        );
      })}
      <button
        type="button"
        className={`service-others${others.length > 0 ? "" : " none"}${failed > 0 ? " failed" : ""}`}
        popoverTarget={serviceMenuId}
        onClick={() => onServices({ of, traceId, services })}
      >
        <span className="wide">
          +{others.length}
          <span className="visually-hidden"> of </span>
        </span>
        <span className="service-total">{services.length}</span>
        <span className="visually-hidden">
          {" "}
          services of {of}
          {failed > 0 && `, ${failed} more with errors`}
        </span>
      </button>
    </span>
  );
}

/** A count in at most four letters: `999`, `2.4k` or `12k`. The tooltip has the exact count. */
function shortCount(count: number): string {
  if (count < 1_000) {
    return String(count);
  }
  if (count < 9_950) {
    return `${(count / 1_000).toFixed(1)}k`;
  }
  return count < 1e6 ? `${Math.round(count / 1_000)}k` : `${Math.round(count / 1e6)}M`;
}
