import "./live-tail.css";
import { Link } from "@tanstack/react-router";
import { useEffect, useReducer, useState } from "react";
import { Duration } from "ui-kit/components/duration.tsx";
import { Notice } from "ui-kit/components/notice.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { clockText } from "ui-kit/format/format-time.ts";
import { zoneChoice } from "ui-kit/theme/preferences.ts";
import { serviceHue } from "ui-kit/theme/service-hues.ts";
import { useChoice } from "ui-kit/theme/stored-choice.ts";
import type { SpanConditions } from "../../api/analysis.ts";
import { followTail } from "../../api/tail.ts";
import { ServiceMark } from "../../components/service-mark.tsx";
import { startTail, type TailState, tailReducer } from "./tail-reducer.ts";

/**
 * Maximum number of spans in one event of the stream, which the server sends once a second. Nobody could read more rows
 * per second.
 */
const perSecond = 100;

/**
 * The live view, or why a query cannot be followed. @param conditions undefined for a query that conditions cannot
 * express
 */
export function LiveTail({ conditions }: { conditions: SpanConditions | undefined }) {
  if (conditions !== undefined) {
    return <Followed conditions={conditions} />;
  }
  return (
    <Notice kind="plain" title="These conditions cannot be followed">
      <p>Live spans are filtered by conditions on one span, joined by &&. Simplify the query above.</p>
    </Notice>
  );
}

/**
 * Spans that meet the conditions, as they arrive, newest first. "Pause" keeps the visible rows in their
 * places and counts arriving spans. States: connecting, following, broken with the reason, and refused. The
 * stream closes with the component and restarts for other conditions.
 */
function Followed({ conditions }: { conditions: SpanConditions }) {
  const asked = JSON.stringify(conditions);
  const [state, dispatch] = useReducer(tailReducer, startTail);
  const [paused, setPaused] = useState(false);

  useEffect(() => {
    dispatch({ type: "begin" });
    return followTail(JSON.parse(asked) as SpanConditions, perSecond, {
      opened: () => dispatch({ type: "opened" }),
      spans: (spans) => dispatch({ type: "spans", spans }),
      skipped: (spans) => dispatch({ type: "skipped", spans }),
      failed: (message) => dispatch({ type: "failed", message }),
    });
  }, [asked]);
  useEffect(() => dispatch({ type: "pause", paused }), [paused]);

  const { rows, problem, open } = state;
  return (
    <section className="tail" aria-label="Spans as they arrive">
      <TailHead {...{ state, paused }} onPause={() => setPaused(!paused)} />
      {rows.length === 0 && !open && problem !== undefined ? null : rows.length === 0 ? (
        <p className="tail-empty">Spans that match appear here about three seconds after they arrive.</p>
      ) : (
        <TailRows rows={rows} />
      )}
    </section>
  );
}

/** The inputs of {@link TailHead}. */
interface TailHeadProps {
  /** State of the stream, with the received spans. */
  state: TailState;
  /** True while the user has paused the list. */
  paused: boolean;
  /** Called by the button that pauses and resumes. */
  onPause: () => void;
}

/** The state of the connection, the pause button, and the error. */
function TailHead({ state, paused, onPause }: TailHeadProps) {
  const { waiting, seen, skipped, problem, open } = state;
  return (
    <header className="tail-head">
      <p role="status">
        <span className={open && problem === undefined ? "tail-dot on" : "tail-dot"} aria-hidden="true" />
        {open ? (
          <>
            Following: <b>{formatCount(seen)}</b> spans
            {skipped > 0 && <span className="muted">, {formatCount(skipped)} left out: too many</span>}
          </>
        ) : problem === undefined ? (
          "Connecting…"
        ) : (
          "Not following"
        )}
      </p>
      <button type="button" className="button" aria-pressed={paused} onClick={onPause}>
        {paused ? `Go on${waiting.length > 0 ? ` (${waiting.length} new)` : ""}` : "Pause"}
      </button>
      {problem !== undefined && (
        <p className="tail-problem" role="alert">
          {problem}
        </p>
      )}
    </header>
  );
}

/** The shown spans, each a link to its trace. */
function TailRows({ rows }: { rows: TailState["rows"] }) {
  const zone = useChoice(zoneChoice);
  return (
    <ol className="tail-rows">
      {rows.map((span) => (
        <li key={`${span.traceID} ${span.spanID}`} className={span.error ? "failed" : undefined}>
          <Link to="/trace/$traceId" params={{ traceId: span.traceID }} search={{ span: span.spanID }}>
            <span className="mono tail-start">{clockText(span.start, zone)}</span>
            <ServiceMark hue={serviceHue(span.service)} />
            <b>{span.service}</b>
            <span className="cut tail-operation">{span.operation}</span>
            <span className="unit tail-kind">{span.kind}</span>
            <span className="tail-error">{span.error ? "error" : ""}</span>
            <Duration us={span.duration} />
          </Link>
        </li>
      ))}
    </ol>
  );
}
