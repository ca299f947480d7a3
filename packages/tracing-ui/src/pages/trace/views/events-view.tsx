import "./events-view.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { cutMiddle } from "ui-kit/format/cut-middle.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { PrettyText } from "../../../components/pretty-text.tsx";
import { ServiceMark } from "../../../components/service-mark.tsx";
import { prettyValue } from "../../../format/pretty-value.ts";
import type { Trace } from "../../../trace/trace.ts";
import {
  type ExceptionGroup,
  eventHolds,
  groupExceptions,
  type TraceEvent,
  traceEvents,
} from "../../../trace/trace-events.ts";
import { EventField } from "../event-list.tsx";
import { changedAddress } from "../trace-address.ts";

const route = getRouteApi("/trace/$traceId");
/** Maximum number of events that are shown; more would block the page. A line reports the limit. */
const mostEvents = 500;
/** Maximum number of exceptions listed in a group. A line counts the others. */
const mostExamples = 20;
/** Maximum number of letters of an operation; the middle of a longer name is cut out. */
const mostLetters = 60;

/**
 * All events of the trace in one list, and exceptions grouped by type and message. A filter keeps events that
 * contain all words of the filter. States: no events, none found, and the list.
 */
export function EventsView({ trace, hues }: { trace: Trace; hues: ReadonlyMap<string, number> }) {
  const address = route.useSearch();
  const filter = useDeferredValue(address.events ?? "");
  const all = traceEvents(trace);
  const events = useMemo(() => {
    const words = filter
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    return all.filter((event) => eventHolds(trace, event, words));
  }, [trace, all, filter]);
  const groups = useMemo(() => groupExceptions(trace, events), [trace, events]);
  const thrown = groups.reduce((sum, group) => sum + group.events.length, 0);
  return (
    <div className="trace-events">
      <div className="trace-events-tools">
        <EventsFilter />
        <span className="muted" role="status">
          {formatCount(events.length)} {events.length === 1 ? "event" : "events"}
          {events.length < all.length && ` of ${formatCount(all.length)}`}, {formatCount(thrown)}{" "}
          {thrown === 1 ? "exception" : "exceptions"}
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by key */}
      <section className="trace-events-scroll" aria-label="Events" tabIndex={0}>
        {groups.length > 0 && (
          <>
            <h2>Exceptions</h2>
            <ul className="exception-groups">
              {groups.map((group) => (
                <li key={`${group.type} ${group.template}`}>
                  <Exceptions {...{ trace, hues, group }} />
                </li>
              ))}
            </ul>
          </>
        )}
        {events.length === 0 ? (
          <p className="muted">
            {all.length === 0 ? "No span of this trace has events." : `No event holds all of “${filter}”.`}
          </p>
        ) : (
          <AllEvents {...{ trace, hues, events }} />
        )}
      </section>
    </div>
  );
}

/** The field for the filter of events, which is stored in the address. */
function EventsFilter() {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <input
      className="field"
      data-slash
      data-command="Filter events"
      data-key="/"
      aria-label="Filter events"
      placeholder="Filter events"
      value={address.events ?? ""}
      onChange={(event) =>
        void navigate({
          search: changedAddress(address, { events: event.target.value || undefined }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}

/** The inputs of {@link AllEvents}. */
interface AllEventsProps {
  /** The trace of the events. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** The events that match the filter, ordered by time. */
  events: readonly TraceEvent[];
}

/** The list of events with their fields, up to `mostEvents`. */
function AllEvents({ trace, hues, events }: AllEventsProps) {
  return (
    <>
      <h2>All events</h2>
      <ol className="all-events">
        {events.slice(0, mostEvents).map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no name of their own
          <li key={index}>
            <At event={event} />
            <SpanLink {...{ trace, hues }} span={event.span} />
            <div className="all-events-fields">
              <span className="event-name">{event.name}</span>
              {event.fields.map((attribute, field) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a sender may repeat a key
                <EventField key={`${field} ${attribute.key}`} attribute={attribute} />
              ))}
            </div>
          </li>
        ))}
      </ol>
      {events.length > mostEvents && (
        <p className="muted">The first {formatCount(mostEvents)} are shown: filter to see others.</p>
      )}
    </>
  );
}

/** Time of an event after the start of the trace; with `−` when a slow clock puts the event before the start. */
function At({ event: { offsetUs } }: { event: TraceEvent }) {
  return <Duration us={Math.abs(offsetUs)} sign={offsetUs < 0 ? "−" : "+"} />;
}

/** A link to a span in the waterfall, with its details open. */
function SpanLink(props: { trace: Trace; hues: ReadonlyMap<string, number>; span: number }) {
  const { trace, hues, span } = props;
  const address = route.useSearch();
  const service = trace.services[trace.service[span] as number] ?? "";
  const { spanID = "", operationName = "" } = trace.spans[span] ?? {};
  return (
    <Link
      className="trace-events-span"
      to="/trace/$traceId"
      params={{ traceId: trace.traceId }}
      search={changedAddress(address, { ...{ view: undefined, q: undefined }, span: spanID, open: spanID })}
    >
      <ServiceMark hue={hues.get(service)} />
      <span>
        {cutMiddle(service, mostLetters)} <bdi className="unit">{cutMiddle(operationName, mostLetters)}</bdi>
      </span>
    </Link>
  );
}

/**
 * The exceptions of one type and message: their number, their spans, and the first available stack trace.
 * The group is closed at first.
 */
function Exceptions(props: { trace: Trace; hues: ReadonlyMap<string, number>; group: ExceptionGroup }) {
  const { trace, hues, group } = props;
  const first = group.events.find(({ exception }) => exception?.stack !== "") ?? group.events[0];
  const stack = first?.exception?.stack ?? "";
  const pretty = prettyValue("stack", stack);
  return (
    <details>
      <summary>
        <b className="mono">{formatCount(group.events.length)}×</b> <b>{group.type}</b>{" "}
        <span dir="auto">{group.template}</span> <span className="muted">{group.services.join(", ")}</span>
      </summary>
      <ul className="exception-examples">
        {group.events.slice(0, mostExamples).map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no name of their own
          <li key={index}>
            <At event={event} />
            <SpanLink {...{ trace, hues }} span={event.span} />
            <span dir="auto">{event.exception?.message}</span>
          </li>
        ))}
        {group.events.length > mostExamples && (
          <li className="muted">and {formatCount(group.events.length - mostExamples)} more</li>
        )}
      </ul>
      {stack !== "" && (
        <div className="exception-stack">
          <span className="muted">Stack trace of the first that has one</span>{" "}
          <CopyButton text={stack} label="Copy the stack trace" />
          {pretty === undefined ? (
            <pre className="mono">{stack.slice(0, 20_000)}</pre>
          ) : (
            <PrettyText value={pretty} />
          )}
        </div>
      )}
    </details>
  );
}
