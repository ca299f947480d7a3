import "./trace-page.css";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  type ComponentProps,
  type ComponentType,
  lazy,
  Suspense,
  useDeferredValue,
  useEffect,
  useMemo,
} from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { assignServiceHues } from "ui-kit/theme/service-hues.ts";
import { ApiError } from "../../api/api-error.ts";
import { notesQuery, type TraceNote } from "../../api/notes.ts";
import { traceQuery } from "../../api/queries.ts";
import { type SpanPeers, tracePeersQuery } from "../../api/trace-peers.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { PartFailure } from "../../components/part-failure.tsx";
import { usePainted } from "../../components/use-painted.ts";
import { embedding } from "../../links/embedding.ts";
import { uiConfig } from "../../links/ui-config.ts";
import { buildTrace } from "../../trace/build-trace.ts";
import { type CriticalPath, criticalPath } from "../../trace/critical-path.ts";
import { filterSpans } from "../../trace/filter-spans.ts";
import { foldIdleGaps, type IdleGap } from "../../trace/idle-gaps.ts";
import { type RepeatedCalls, repeatedCalls } from "../../trace/repeated-calls.ts";
import { makeSearchTexts } from "../../trace/search-texts.ts";
import { shortId } from "../../trace/short-id.ts";
import { leadingRoot, type Trace } from "../../trace/trace.ts";
import type { ApiTrace } from "../../trace/trace-schema.ts";
import { visibleRows } from "../../trace/visible-rows.ts";
import { Minimap } from "./minimap.tsx";
import { notesBySpan } from "./notes/notes-by-span.ts";
import { NotesPanel } from "./notes/notes-panel.tsx";
import { PathPanel } from "./path-panel.tsx";
import { RepeatsPanel } from "./repeats-panel.tsx";
import { isSavedPage } from "./saved-trace.ts";
import { changedAddress, type TraceAddress } from "./trace-address.ts";
import { TraceHeader } from "./trace-header.tsx";
import { TraceRemarks } from "./trace-remarks.tsx";
import type { TraceView } from "./trace-view.ts";
import { useTraceKeys } from "./use-trace-keys.ts";
import { useTraceView } from "./use-trace-view.ts";
import { Waterfall } from "./waterfall/waterfall.tsx";

const route = getRouteApi("/trace/$traceId");
const FlameView = lazy(() => import("./views/small-views.ts").then((file) => ({ default: file.FlameView })));
const StatisticsView = lazy(() =>
  import("./views/small-views.ts").then((file) => ({ default: file.StatisticsView })),
);
const EventsView = lazy(() =>
  import("./views/small-views.ts").then((file) => ({ default: file.EventsView })),
);
const ConversationView = lazy(() =>
  import("./views/conversation-view.tsx").then((file) => ({ default: file.ConversationView })),
);
const JsonView = lazy(() => import("./views/small-views.ts").then((file) => ({ default: file.JsonView })));
const GraphView = lazy(() => import("./views/small-views.ts").then((file) => ({ default: file.GraphView })));
/** The views other than the waterfall. */
const otherViews: Record<NonNullable<TraceAddress["view"]>, ComponentType<Omit<OtherViewProps, "view">>> = {
  flame: FlameView,
  graph: GraphView,
  statistics: StatisticsView,
  events: EventsView,
  conversation: ConversationView,
  json: JsonView,
};
const noNotes: readonly TraceNote[] = [];
const noRepeats: readonly RepeatedCalls[] = [];
const noGaps: readonly IdleGap[] = [];
const noPath: CriticalPath = { sections: [], bySpan: new Map(), shares: [], durationUs: 0 };
const noPeers: ReadonlyMap<string, SpanPeers> = new Map();

/**
 * The trace screen: fetches one trace and shows it. States: fetching, not in the store (with advice for
 * short ids), another failure, and the trace.
 */
export function TracePage() {
  const { traceId } = route.useParams();
  const { gaps } = route.useSearch();
  const trace = useQuery(traceQuery(traceId));
  // The key recreates the view when gaps are folded or shown, because the visible range is then different.
  if (trace.isSuccess) {
    return <LoadedTrace key={`${traceId} ${gaps}`} input={trace.data} />;
  }
  if (trace.isPending) {
    return <Loading wholePage>Fetching the trace…</Loading>;
  }
  return <TraceFailure {...{ traceId, trace }} />;
}

/** Tells why a trace could not be read: it is not in the store (with advice for short ids), or another failure. */
function TraceFailure({ traceId, trace }: { traceId: string; trace: UseQueryResult<ApiTrace> }) {
  const missing = trace.error instanceof ApiError && trace.error.code === "API_NOT_FOUND";
  useEffect(() => {
    document.title = `${missing ? "No trace" : "Failed:"} ${traceId.slice(0, 8)} · Tracing`;
  }, [missing, traceId]);
  if (!missing) {
    return <FailureNotice wholePage error={trace.error} onRetry={() => trace.refetch()} />;
  }
  const short = shortId(traceId);
  return (
    <Notice kind="error" wholePage title="This trace is not in the store">
      <p className="mono">{traceId}</p>
      <p>
        Its spans may still be on their way: they show up within about two seconds after they end. It may have
        been left out by sampling, or deleted because of its age. Also compare the id, digit by digit.
      </p>
      {short !== undefined && (
        <p>
          This is a short id. It was looked up with zeros in front, as{" "}
          <span className="mono">
            {short.zeros}
            {short.digits}
          </span>
          . If it is the first half of a longer one, paste all 32 digits. If it is the id of a span,{" "}
          <Link to="/search" search={{ q: `{ span:id = "${short.digits}" }`, lookback: "2d" }}>
            search for that span
          </Link>
          .
        </p>
      )}
      <p className="notice-actions">
        <button type="button" className="button" onClick={() => trace.refetch()}>
          Look again
        </button>
        <Link to="/search" className="button">
          Search traces
        </Link>
      </p>
    </Notice>
  );
}

/**
 * The trace in the chosen view. The waterfall is drawn first; critical path, repeated calls and search
 * texts are computed after the first paint. Percentiles and notes load independently, and their failure
 * does not affect the trace.
 */
function LoadedTrace({ input }: { input: ApiTrace }) {
  const address = route.useSearch();
  const whole = useMemo(() => buildTrace(input), [input]);
  const folded = useMemo(() => foldIdleGaps(whole), [whole]);
  const trace = address.gaps === "shown" ? whole : folded.trace;
  const gaps = address.gaps === "shown" ? noGaps : folded.gaps;
  const hues = useMemo(() => assignServiceHues(trace.services), [trace]);
  const [view, dispatch] = useTraceView(trace);
  const { filter, rows } = useShownRows(trace, view);
  const { path, pathKnown, repeats } = useSettledFacts(trace);
  const ranks = useQuery(tracePeersQuery(trace.traceId));
  const peers = ranks.data ?? noPeers;
  const written = useQuery(notesQuery(trace.traceId));
  const kept = written.data ?? undefined;
  const notes = useMemo(() => notesBySpan(kept ?? noNotes), [kept]);
  useTraceKeys({ rows, selected: view.selected, filter, dispatch, on: address.view === undefined });
  useTraceTitle(trace);

  return (
    <div className="trace-page">
      {!embedding.hidesTitle && (
        <TraceHeader
          {...{ trace: whole, input, peers, hues, dispatch }}
          gaps={folded.gaps}
          repeats={repeats.length}
          notes={isSavedPage() && kept?.length === 0 ? undefined : kept?.length}
          filter={view.filter}
        />
      )}
      <TraceRemarks trace={trace} dispatch={dispatch} />
      <PartFailures ranks={ranks} written={written} />
      <OtherView {...{ view: address.view, trace, hues, input }} />
      {address.view === undefined && (
        <WaterfallView
          {...{ trace, hues, view, filter, rows, path, peers, notes, gaps, repeats, dispatch }}
          pathKnown={pathKnown}
        />
      )}
    </div>
  );
}

/** The spans that the filter finds, and the rows that are shown. */
function useShownRows(trace: Trace, view: TraceView) {
  // Typing has priority: in large traces the matches may lag behind by a frame or two.
  const filterText = useDeferredValue(view.filter);
  const filter = useMemo(() => filterSpans(trace, filterText), [trace, filterText]);
  const rows = useMemo(
    () => visibleRows(trace, view.folded, view.dims ? undefined : filter?.shown, view.openRuns),
    [trace, view.folded, view.dims, view.openRuns, filter],
  );
  return { filter, rows };
}

/** Facts computed after the rows are drawn. `pathKnown` is true once they are computed. */
function useSettledFacts(trace: Trace) {
  // The rows are drawn before the critical path and the overview are computed, so that rows do not wait.
  const settled = usePainted(trace);
  const pathKnown = settled === trace;
  const path = useMemo(
    () => (pathKnown && uiConfig.criticalPathEnabled ? criticalPath(trace) : noPath),
    [pathKnown, trace],
  );
  useEffect(() => (pathKnown ? makeSearchTexts(trace) : undefined), [pathKnown, trace]);
  const repeats = useMemo(() => (settled === trace ? repeatedCalls(trace) : noRepeats), [settled, trace]);
  return { path, pathKnown, repeats };
}

/** Sets the title of the browser's tab: the leading root of the trace, or the trace id when there is no root. */
function useTraceTitle(trace: Trace): void {
  useEffect(() => {
    const root = leadingRoot(trace);
    const name =
      root === undefined
        ? trace.traceId
        : `${trace.services[trace.service[root] as number]} ${trace.spans[root]?.operationName}`;
    document.title = `${name} · Tracing`;
  }, [trace]);
}

/** The inputs of {@link OtherView}. */
interface OtherViewProps {
  /** The chosen view; undefined for the waterfall, which another component draws. */
  view: TraceAddress["view"];
  /** The trace as it is drawn, with idle gaps folded or not. */
  trace: Trace;
  /** Hues of services, in degrees. */
  hues: ReadonlyMap<string, number>;
  /** The trace as received from the query service. */
  input: ApiTrace;
}

/** The chosen view, loaded when first opened. Its area is empty while it loads. */
function OtherView({ view, trace, hues, input }: OtherViewProps) {
  const View = view && otherViews[view];
  return (
    <Suspense fallback={<div className="trace-body" role="status" aria-label="Opening the view" />}>
      {View && <View {...{ trace, hues, input }} />}
    </Suspense>
  );
}

/** The inputs of {@link PartFailures}. */
interface PartFailuresProps {
  /** The query for percentiles. */
  ranks: UseQueryResult<ReadonlyMap<string, SpanPeers>>;
  written: UseQueryResult<readonly TraceNote[] | null>;
}

/** Errors of percentiles and notes, each with a button to retry. */
function PartFailures({ ranks, written }: PartFailuresProps) {
  return (
    <>
      {ranks.isError && (
        <PartFailure what="Percentiles of spans" error={ranks.error} onRetry={() => void ranks.refetch()} />
      )}
      {written.isError && (
        <PartFailure
          what="Notes on this trace"
          error={written.error}
          onRetry={() => void written.refetch()}
        />
      )}
    </>
  );
}

/** The inputs of {@link WaterfallView}. */
interface WaterfallViewProps extends ComponentProps<typeof Waterfall> {
  /** Operations that single spans call many times; `noRepeats` until they are computed. */
  repeats: readonly RepeatedCalls[];
  /** True when the critical path is computed. */
  pathKnown: boolean;
}

/** The overview, the waterfall, and the open panel beside it. */
function WaterfallView({ repeats, pathKnown, ...shown }: WaterfallViewProps) {
  const { trace, hues, view, path, gaps, dispatch } = shown;
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const closePanel = () =>
    void navigate({ search: changedAddress(address, { panel: undefined }), resetScroll: false });
  return (
    <>
      {!embedding.hidesMinimap && (
        <Minimap
          {...{ trace, hues, gaps, dispatch }}
          path={pathKnown ? path : undefined}
          range={view.range}
        />
      )}
      <div className="trace-body">
        <Waterfall {...shown} />
        {address.panel === "path" && pathKnown && (
          <PathPanel {...{ trace, hues, path, dispatch }} selected={view.selected} onClose={closePanel} />
        )}
        {address.panel === "notes" && <NotesPanel {...{ trace, hues, dispatch }} onClose={closePanel} />}
        {address.panel === "repeats" && repeats !== noRepeats && (
          <RepeatsPanel
            {...{ trace, hues, repeats, dispatch }}
            selected={view.selected}
            onClose={closePanel}
          />
        )}
      </div>
    </>
  );
}
