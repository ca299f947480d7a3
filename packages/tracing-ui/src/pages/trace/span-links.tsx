import { Link } from "@tanstack/react-router";
import type { Dispatch } from "react";
import { ServiceMark } from "../../components/service-mark.tsx";
import type { Trace } from "../../trace/trace.ts";
import type { ViewAction } from "./trace-view.ts";

/** Text for each type of reference. */
const words: Record<string, string> = { CHILD_OF: "Child of", FOLLOWS_FROM: "Follows from" };

/** The references of the span: its parent, linked spans of this trace, and other traces. */
export function SpanLinks(props: {
  trace: Trace;
  span: number;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Receives the selection of a clicked span of this trace. */
  dispatch: Dispatch<ViewAction>;
}) {
  const { trace, span: at, hues, dispatch } = props;
  const references = trace.spans[at]?.references ?? [];
  if (references.length === 0) {
    return null;
  }
  return (
    <section className="span-section">
      <h2>
        Links <span className="mono unit">{references.length}</span>
      </h2>
      <ul className="span-links">
        {references.map(({ refType, traceID, spanID }) => {
          const target =
            traceID === trace.traceId ? trace.spans.findIndex((span) => span.spanID === spanID) : -1;
          const service = trace.services[trace.service[target] as number] ?? "";
          return (
            <li key={`${refType} ${traceID} ${spanID}`}>
              <span className="muted">{words[refType] ?? refType}</span>
              {target !== -1 ? (
                <button
                  type="button"
                  className="span-link"
                  onClick={() => dispatch({ type: "select", span: target })}
                >
                  <ServiceMark hue={hues.get(service)} />
                  {service} <span className="muted">{trace.spans[target]?.operationName}</span>
                </button>
              ) : traceID === trace.traceId ? (
                <span>
                  <span className="mono">{spanID}</span>{" "}
                  <span className="span-link-missing">not in this trace</span>
                </span>
              ) : (
                <Link
                  to="/trace/$traceId"
                  params={{ traceId: traceID }}
                  search={{ span: spanID }}
                  className="mono"
                >
                  {traceID} / {spanID}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
