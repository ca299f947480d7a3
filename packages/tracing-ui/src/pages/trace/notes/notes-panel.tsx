import "../path-panel.css";
import "./notes.css";
import { useQuery } from "@tanstack/react-query";
import { type Dispatch, useMemo } from "react";
import { Icon } from "ui-kit/components/icon.tsx";
import { notesQuery, type TraceNote } from "../../../api/notes.ts";
import { ServiceMark } from "../../../components/service-mark.tsx";
import { failureWords } from "../../../components/share/failure-words.ts";
import type { Trace } from "../../../trace/trace.ts";
import { isSavedPage } from "../saved-trace.ts";
import type { ViewAction } from "../trace-view.ts";
import { NoteForm } from "./note-form.tsx";
import { NoteList } from "./note-list.tsx";
import { spanKey } from "./notes-by-span.ts";

/** The inputs of {@link NotesPanel}. */
interface NotesPanelProps {
  /** The trace, to find the spans of the notes. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** Receives the selection of a clicked span. */
  dispatch: Dispatch<ViewAction>;
  /** Called by the button that closes the panel. */
  onClose: () => void;
}

/**
 * All notes on a trace, oldest first, and a form for a new note. A click selects the span that a note is
 * on. States: failed with a button to try again, a service that stores no notes, no notes yet, and the list.
 */
export function NotesPanel(props: NotesPanelProps) {
  const { trace, hues, dispatch, onClose } = props;
  const { data, error, refetch } = useQuery(notesQuery(trace.traceId));
  const spans = useMemo(() => spansOfNotes(trace, data ?? []), [data, trace]);

  const about = ({ spanId }: TraceNote) => (
    <NotePlace {...{ trace, hues, spanId, dispatch }} span={spans.get(spanKey(spanId))} />
  );

  return (
    <aside className="path-panel notes-panel" aria-labelledby="notes-title">
      <header>
        <h2 id="notes-title">Notes</h2>
        <button type="button" className="icon-button" aria-label="Close the notes" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {error !== null && (
        <p className="path-lead failed-text" role="alert">
          The notes could not be read. {failureWords(error)}{" "}
          <button type="button" className="button" onClick={() => void refetch()}>
            Try again
          </button>
        </p>
      )}
      {data === null && (
        <p className="path-lead">
          This query service keeps no notes: whoever runs it has to set --query.views-dir.
        </p>
      )}
      {data?.length === 0 && (
        <p className="path-lead">
          Nobody has written a note here yet. Open a span to write one on it. Everybody who opens this trace
          sees it.
        </p>
      )}
      {data !== undefined && data !== null && (
        <>
          <NoteList traceId={trace.traceId} notes={data} about={about} />
          {!isSavedPage() && <NoteForm traceId={trace.traceId} spanId="" />}
        </>
      )}
    </aside>
  );
}

/** The spans that have notes, by `spanKey`. The first span counts if spans share an id. One pass over the trace. */
function spansOfNotes(trace: Trace, notes: readonly TraceNote[]): ReadonlyMap<string, number> {
  const wanted = new Set(notes.map(({ spanId }) => spanKey(spanId)));
  const found = new Map<string, number>();
  for (let span = 0; wanted.size > 0 && span < trace.spans.length; span += 1) {
    const key = spanKey(trace.spans[span]?.spanID ?? "");
    if (wanted.has(key) && !found.has(key)) {
      found.set(key, span);
    }
  }
  return found;
}

/** The inputs of {@link NotePlace}. */
interface NotePlaceProps extends Pick<NotesPanelProps, "trace" | "hues" | "dispatch"> {
  /** Span id of the note; "" for the whole trace. */
  spanId: string;
  /** Index of the span; undefined when the trace has no span with this id. */
  span: number | undefined;
}

/** The span or trace of a note. A span is a button that selects it. */
function NotePlace({ trace, hues, spanId, span, dispatch }: NotePlaceProps) {
  if (spanId === "") {
    return <p className="note-about">The whole trace</p>;
  }
  if (span === undefined) {
    return <p className="note-about">A span that is not in this trace</p>;
  }
  const service = trace.services[trace.service[span] as number] ?? "";
  return (
    <button
      type="button"
      className="note-about cut"
      title="Go to this span"
      onClick={() => dispatch({ type: "select", span })}
    >
      <ServiceMark hue={hues.get(service)} />
      <b>{service}</b> {trace.spans[span]?.operationName}
    </button>
  );
}
