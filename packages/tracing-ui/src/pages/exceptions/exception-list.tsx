import "../services/rate-table.css";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { Sparkline } from "ui-kit/components/sparkline.tsx";
import { cutMiddle } from "ui-kit/format/cut-middle.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { clockText, dateText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import type { ExceptionGroup, Exceptions } from "../../api/exceptions.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { useMedia } from "../../components/use-media.ts";
import type { ExceptionsAddress } from "./exceptions-address.ts";
import { searchOf } from "./search-of-exception.ts";

/** Columns that can sort the list, all with the largest or newest first. */
type Sort = ExceptionsAddress["sort"];

/** Maximum number of letters of a service name in a row; the middle of a longer name is cut out. */
const mostLetters = 24;

/**
 * Groups of exceptions in rows: type, message, count, trend, first and last time. A row opens its services
 * and example traces. Narrow windows hide the time columns, except the column that sorts the list.
 */
export function ExceptionList(props: { found: Exceptions; sort: Sort; onSort: (sort: Sort) => void }) {
  const { found, sort, onSort } = props;
  const isNarrow = useMedia("(width < 760px)");
  // A `colSpan` over hidden columns would reserve room for them and narrow the name.
  const columns = isNarrow ? (sort === "count" ? 3 : 4) : 5;
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(opened);
    if (!next.delete(key)) {
      next.add(key);
    }
    setOpened(next);
  };
  const head = (column: Sort, label: string, title: string) => (
    <th
      scope="col"
      title={title}
      className={`exception-${column}`}
      aria-sort={column === sort ? "descending" : "none"}
    >
      <button type="button" className="rate-sort" onClick={() => onSort(column)}>
        {column === sort && <span aria-hidden="true">↓ </span>}
        {label}
      </button>
    </th>
  );
  return (
    <table aria-label="Groups of exceptions" className={`rates exceptions sorted-${sort}`}>
      <thead>
        <tr>
          <th scope="col" className="rate-name">
            Type and message
          </th>
          {head("count", "Count", "How many were thrown")}
          <th scope="col" className="exception-trend">
            Trend
          </th>
          {head("first", "First seen", "In the asked time, right to a step of the trend")}
          {head("last", "Last seen", "Right to a step of the trend")}
        </tr>
      </thead>
      <tbody>
        {found.groups.map((group) => {
          const key = `${group.type}\n${group.template}`;
          return (
            <ExceptionRows
              key={key}
              {...{ group, found, columns }}
              isOpen={opened.has(key)}
              onToggle={() => toggle(key)}
            />
          );
        })}
      </tbody>
    </table>
  );
}

/** The inputs of {@link ExceptionRows}. */
interface ExceptionRowsProps {
  /** The group of the row. */
  group: ExceptionGroup;
  /** The whole answer, for the time steps of the trend. */
  found: Exceptions;
  /** Number of drawn columns. */
  columns: number;
  /** True when the details are shown. */
  isOpen: boolean;
  /** Called by a click on the name. */
  onToggle: () => void;
}

/** The row of a group. When it is open, a second row has the details. */
function ExceptionRows(props: ExceptionRowsProps) {
  const { group, found, columns, isOpen, onToggle } = props;
  const trend = trendOf(group, found.steps);
  return (
    <>
      <tr>
        <td className="rate-name cut">
          <button type="button" className="exception-name" aria-expanded={isOpen} onClick={onToggle}>
            <span className={isOpen ? "exception-caret open" : "exception-caret"}>
              <Icon name="caret" />
            </span>
            <b>{group.type}</b> <bdi>{group.template}</bdi>
          </button>
        </td>
        <td className="exception-count mono">{formatCount(group.count)}</td>
        <td className="exception-trend">
          <Sparkline values={trend} most={Math.max(...trend)} kind="error" />
        </td>
        <td className="exception-first mono">
          <Time us={group.first} />
        </td>
        <td className="exception-last mono">
          <Time us={group.last} />
        </td>
      </tr>
      {isOpen && <DetailsRow group={group} columns={columns} />}
    </>
  );
}

/**
 * The details of a group: the whole message, the services that threw it, example traces, and a link to all traces.
 * @param columns number of columns that the row spans
 */
function DetailsRow({ group, columns }: { group: ExceptionGroup; columns: number }) {
  return (
    <tr className="exception-details">
      <td colSpan={columns}>
        <p dir="auto">{group.template}</p>
        <ul className="exception-services" aria-label="Thrown by">
          {group.services.map(({ name, count }) => (
            <li key={name}>
              <ServiceMark hue={serviceHue(name)} />
              {cutMiddle(name, mostLetters)} <span className="unit">{formatCount(count)}</span>
            </li>
          ))}
        </ul>
        <ul className="exception-traces" aria-label="Example traces, newest first">
          {group.examples.map(({ traceID, spanID, time }) => (
            <li key={traceID}>
              <Link
                to="/trace/$traceId"
                params={{ traceId: traceID }}
                search={{ span: spanID, open: spanID }}
                className="mono"
              >
                {traceID.slice(0, 16)}…
              </Link>{" "}
              <span className="mono unit">
                <Time us={time} />
              </span>
            </li>
          ))}
          <li>
            <Link to="/search" search={{ q: searchOf(group) }}>
              Search all traces with it
            </Link>
          </li>
        </ul>
      </td>
    </tr>
  );
}

/** A time of day, with the date unless it is today. Microseconds since 1970. */
function Time({ us }: { us: number }) {
  const zone = useChoice(zoneChoice);
  const day = dateText(us, zone);
  return (
    <time dateTime={new Date(us / 1_000).toISOString()}>
      {day !== dateText(Date.now() * 1_000, zone) && <span className="unit">{day.slice(5)} </span>}
      {clockText(us, zone).slice(0, 8)}
    </time>
  );
}

/** Counts at each step, with zeros for the steps that the answer leaves out. */
function trendOf({ curve }: ExceptionGroup, steps: number): number[] {
  const values = Array.from({ length: steps }, () => 0);
  for (const [step, count] of curve) {
    if (step >= 0 && step < steps) {
      values[step] = count;
    }
  }
  return values;
}
