import "./trace-header.css";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Dispatch, type KeyboardEvent, memo, type ReactNode, useMemo, useState } from "react";
import { CopyButton } from "ui-kit/components/copy-button.tsx";
import { Duration } from "ui-kit/components/duration.tsx";
import { cutMiddle } from "ui-kit/format/cut-middle.ts";
import { formatCount } from "ui-kit/format/format-count.ts";
import { clockText, dateText, zoneLabel } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import { isGenAi } from "wire/gen-ai/span";
import type { SpanPeers } from "../../api/trace-peers.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { patternChoice } from "../../components/service-patterns.ts";
import { ValueLinks } from "../../components/value-links.tsx";
import { embedding } from "../../links/embedding.ts";
import { traceLinks } from "../../links/link-patterns.ts";
import { uiConfig } from "../../links/ui-config.ts";
import { filterWord } from "../../trace/filter-word.ts";
import type { IdleGap } from "../../trace/idle-gaps.ts";
import { shortId } from "../../trace/short-id.ts";
import { leadingRoot, type Trace } from "../../trace/trace.ts";
import type { ApiTrace } from "../../trace/trace-schema.ts";
import { isSavedPage } from "./saved-trace.ts";
import { TraceActions } from "./trace-actions.tsx";
import { changedAddress } from "./trace-address.ts";
import type { ViewAction } from "./trace-view.ts";
import { ViewSwitch } from "./view-switch.tsx";

const route = getRouteApi("/trace/$traceId");
/** Maximum number of letters of an operation in the title, which fit in two lines of a narrow window. */
const mostTitleLetters = 120;
/** Maximum number of letters of a service name, because other texts follow it. */
const mostServiceLetters = 40;

/** The inputs of {@link TraceHeader}. */
interface TraceHeaderProps {
  /** The trace with its idle gaps shown. */
  trace: Trace;
  /** The trace as received from the query service. */
  input: ApiTrace;
  peers: ReadonlyMap<string, SpanPeers>;
  /** Gaps that can be folded. */
  gaps: readonly IdleGap[];
  /** Number of operations that single spans call many times. */
  repeats: number;
  /** Number of notes on the trace and its spans; undefined until loaded, or when the service stores no notes. */
  notes: number | undefined;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Text of the filter. A service with exactly this name is marked. */
  filter: string;
  /** Receives the actions of buttons. */
  dispatch: Dispatch<ViewAction>;
}

/**
 * Shows the name and the figures of the trace. Services are buttons that set the filter. Links lead to the views
 * and panels. It is memoised, because the view changes at each key.
 */
export const TraceHeader = memo(function TraceHeader(props: TraceHeaderProps) {
  const { trace, input, peers, gaps, repeats, notes, hues, filter, dispatch } = props;
  const hasConversation = useMemo(() => trace.spans.some(isGenAi), [trace]);
  const root = leadingRoot(trace);
  const service = root === undefined ? "" : (trace.services[trace.service[root] as number] ?? "");
  const operation = trace.spans[root ?? -1]?.operationName ?? "";
  return (
    <header className="trace-header">
      <div className="trace-title">
        <h1 title={`${service} ${operation}`}>
          <ServiceMark hue={hues.get(service)} />
          <span>{cutMiddle(service, mostServiceLetters)}</span>{" "}
          <span className="trace-operation">{cutMiddle(operation, mostTitleLetters)}</span>
        </h1>
        <ViewSwitch traceId={trace.traceId} hasConversation={hasConversation} />
        <HeaderActions {...{ trace, input, peers, repeats, notes }} />
      </div>
      <dl className="trace-figures" hidden={embedding.hidesSummary}>
        <Figure name="Duration">
          <Duration us={trace.durationUs} />
        </Figure>
        {gaps.length > 0 && <IdleFigure gaps={gaps} traceId={trace.traceId} />}
        <StartFigure startUs={trace.startUs} />
        <IdFigure traceId={trace.traceId} />
        <Figure name="Spans">
          <span className="mono">{formatCount(trace.spans.length)}</span>
        </Figure>
        <ServicesFigure trace={trace} />
        <Figure name="Depth">
          <span className="mono">{trace.levels}</span>
        </Figure>
        <ErrorsFigure trace={trace} dispatch={dispatch} />
        <ServiceLegend trace={trace} hues={hues} filter={filter} dispatch={dispatch} />
      </dl>
    </header>
  );
});

/** The number of services, as a link to the statistics of each service. */
function ServicesFigure({ trace }: { trace: Trace }) {
  const address = route.useSearch();
  return (
    <Figure name="Services">
      <Link
        to="/trace/$traceId"
        params={{ traceId: trace.traceId }}
        search={changedAddress(address, { view: "statistics", by: "service" })}
        title="Statistics of each service"
        className="mono"
      >
        {formatCount(trace.services.length)}
        <span className="visually-hidden"> services, to their statistics</span>
      </Link>
    </Figure>
  );
}

/** The links to the panels, and the actions for the whole trace. */
function HeaderActions(props: Pick<TraceHeaderProps, "trace" | "input" | "peers" | "repeats" | "notes">) {
  const { trace, input, peers, repeats, notes } = props;
  const address = route.useSearch();
  const shownPanel = address.view === undefined ? address.panel : undefined;
  const panelLink = (panel: "path" | "repeats" | "notes", title: string, hint: string, count = 0) => (
    <Link
      to="/trace/$traceId"
      params={{ traceId: trace.traceId }}
      search={changedAddress(address, {
        ...{ view: undefined, panel: shownPanel === panel ? undefined : panel },
      })}
      activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
      className={shownPanel === panel ? "button chosen" : "button"}
      data-command={title}
      title={hint}
    >
      {title}
      {count > 0 && <span className="mono unit">{formatCount(count)}</span>}
    </Link>
  );
  return (
    <div className="trace-actions">
      {uiConfig.criticalPathEnabled &&
        panelLink("path", "Critical path", "What the trace waited for, as a ranked list")}
      {(repeats > 0 || shownPanel === "repeats") &&
        panelLink("repeats", "Repeated calls", "Operations that one span calls many times")}
      {(notes !== undefined || shownPanel === "notes") &&
        panelLink("notes", "Notes", "What people wrote on this trace and its spans", notes)}
      {!isSavedPage() && !embedding.isEmbedded && <TraceActions input={input} peers={peers} />}
      <ValueLinks links={traceLinks(uiConfig.linkPatterns, trace)} />
      <span data-command="Copy the trace id">
        <CopyButton text={trace.traceId} label="Copy the trace id">
          {`${trace.traceId.slice(0, 8)}…`}
        </CopyButton>
      </span>
    </div>
  );
}

/** The sum of all idle gaps, in which no span ran, with the link that folds or shows the gaps. */
function IdleFigure({ gaps, traceId }: { gaps: readonly IdleGap[]; traceId: string }) {
  const address = route.useSearch();
  return (
    <Figure name="Idle">
      <Duration us={gaps.reduce((sum, { lengthUs }) => sum + lengthUs, 0)} />{" "}
      <Link
        to="/trace/$traceId"
        params={{ traceId }}
        search={changedAddress(address, {
          ...{ gaps: address.gaps === "shown" ? undefined : "shown", from: undefined, to: undefined },
        })}
        title="Time in which no span ran"
      >
        {address.gaps === "shown" ? "Fold" : "Show"}
      </Link>
    </Figure>
  );
}

/** Start of the trace, in the chosen time zone. @param startUs microseconds since 1970 */
function StartFigure({ startUs }: { startUs: number }) {
  const zone = useChoice(zoneChoice);
  return (
    <Figure name="Start">
      <span className="mono">
        <span className="unit">{dateText(startUs, zone)} </span>
        {clockText(startUs, zone, 6)}
        <span className="unit"> {zoneLabel(zone, new Date(startUs / 1_000))}</span>
      </span>
    </Figure>
  );
}

/** The short form of the id; hidden for an id of 128 bits. */
function IdFigure({ traceId }: { traceId: string }) {
  const short = shortId(traceId);
  if (short === undefined) {
    return null;
  }
  return (
    <Figure name="Short id">
      <span className="mono" title="An id of 64 bits. The store keeps it with zeros in front.">
        <span className="unit">{short.zeros}</span>
        {short.digits}
      </span>
    </Figure>
  );
}

/** The number of failed spans, as a button that selects the next failed span. */
function ErrorsFigure({ trace, dispatch }: Pick<TraceHeaderProps, "trace" | "dispatch">) {
  const errors = trace.errorsBefore[trace.spans.length] as number;
  return (
    <Figure name="Errors">
      {errors === 0 ? (
        <span className="mono">0</span>
      ) : (
        <button
          type="button"
          className="trace-errors mono"
          title="Go to the next error (e)"
          onClick={() => dispatch({ type: "nextError", by: 1 })}
        >
          {formatCount(errors)}
          <span className="visually-hidden"> failed, go to the next</span>
        </button>
      )}
    </Figure>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="trace-figure">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/**
 * The services with their span counts, the largest first, as buttons that set the filter; then the switch for
 * patterns. Tab reaches one of the services, and arrows, Home and End go to the others: a trace may have hundreds.
 */
function ServiceLegend(props: {
  trace: Trace;
  hues: ReadonlyMap<string, number>;
  filter: string;
  dispatch: Dispatch<ViewAction>;
}) {
  const { trace, hues, filter, dispatch } = props;
  const counts = useMemo(() => {
    const spans = trace.services.map((name) => ({ name, spans: 0 }));
    for (const service of trace.service) {
      const entry = spans[service];
      if (entry !== undefined) {
        entry.spans += 1;
      }
    }
    return spans.sort((a, b) => b.spans - a.spans);
  }, [trace]);
  const patterns = useChoice(patternChoice) === "on";
  const [reached, setReached] = useState(0);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside
    <div className="trace-legend" onKeyDown={moveInLegend}>
      <dt className="visually-hidden">Spans by service</dt>
      {counts.map(({ name, spans }, index) => (
        <dd key={name}>
          <button
            type="button"
            tabIndex={index === Math.min(reached, counts.length - 1) ? 0 : -1}
            onFocus={() => setReached(index)}
            aria-pressed={filter === filterWord(name)}
            title={filter === filterWord(name) ? "Show all spans" : `Show only spans that name ${name}`}
            onClick={() =>
              dispatch({ type: "filter", text: filter === filterWord(name) ? "" : filterWord(name) })
            }
          >
            <ServiceMark hue={hues.get(name)} />
            {cutMiddle(name, mostServiceLetters)}
            <span className="mono unit">{formatCount(spans)}</span>
          </button>
        </dd>
      ))}
      {counts.length > 1 && (
        <dd>
          <button
            type="button"
            aria-pressed={patterns}
            title="Tell services apart by patterns too"
            onClick={() => patternChoice.set(patterns ? "off" : "on")}
          >
            <span className="trace-legend-patterns" aria-hidden="true" />
            Patterns
          </button>
        </dd>
      )}
    </div>
  );
}

/** Moves the focus among the services of the legend by arrows, Home and End. Other keys go on to the page. */
function moveInLegend(event: KeyboardEvent<HTMLDivElement>): void {
  const services = [...event.currentTarget.querySelectorAll<HTMLElement>("button[tabindex]")];
  const at = services.indexOf(event.target as HTMLElement);
  const steps: Record<string, number> = {
    ...{ ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1 },
    ...{ Home: 0, End: services.length - 1 },
  };
  const next = steps[event.key];
  if (at === -1 || next === undefined) {
    return;
  }
  services[Math.max(0, Math.min(services.length - 1, next))]?.focus();
  event.preventDefault();
  event.stopPropagation();
}
