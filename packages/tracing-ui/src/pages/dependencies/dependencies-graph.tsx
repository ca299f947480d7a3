import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useMemo } from "react";
import { Notice } from "ui-kit/components/notice.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { capabilitiesQuery } from "../../api/analysis.ts";
import {
  type Dependency,
  type DependencyGraph,
  type EdgeFacts,
  edgeFactsQuery,
} from "../../api/dependencies.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Loading } from "../../components/loading.tsx";
import { PartFailure } from "../../components/part-failure.tsx";
import { ServiceGraph } from "./service-graph.tsx";
import { useGraphLayout } from "./use-graph-layout.ts";
import { useNodeRates } from "./use-node-rates.ts";

const none: readonly Dependency[] = [];
const noFacts: ReadonlyMap<string, EdgeFacts> = new Map();
const noGroups: ReadonlyMap<string, number> = new Map();

/** The inputs of {@link DependenciesGraph}. */
interface DependenciesGraphProps {
  /** The request for the graph. */
  graph: UseQueryResult<DependencyGraph>;
  /** The time range of rates and figures, in milliseconds. */
  time: { endMs: number; lookbackMs: number };
  /** The service in focus; undefined for none. */
  focus: string | undefined;
  /** Called with the name of a clicked service. */
  onFocus: (service: string) => void;
  /** Called when a group is clicked. @param prefix common prefix of the names in the group */
  onGroup: (prefix: string) => void;
}

/**
 * The graph, with rates on its services and with figures on the calls of the service in focus. States:
 * counting, failed, no calls, and the graph. Rates and figures load later, and their failure leaves the
 * graph unchanged.
 */
export function DependenciesGraph(props: DependenciesGraphProps) {
  const { graph, time, focus, onFocus, onGroup } = props;
  const { endMs, lookbackMs } = time;
  const dependencies = graph.data?.dependencies ?? none;
  const groups = graph.data?.groups ?? noGroups;
  const services = useMemo(
    () =>
      [...new Set(dependencies.flatMap(({ parent, child }) => [parent, child]))]
        .filter((name) => !groups.has(name))
        .sort(),
    [dependencies, groups],
  );
  const rates = useNodeRates(services, time);
  const { facts, queries } = useEdgeFacts(focus, endMs, lookbackMs);
  if (graph.isError) {
    return <FailureNotice error={graph.error} onRetry={() => graph.refetch()} />;
  }
  if (graph.data === undefined) {
    return <Loading>Counting calls…</Loading>;
  }
  if (dependencies.length === 0) {
    return (
      <Notice kind="plain" title="No calls between services in this time">
        <p>An arrow appears when a span of one service has a parent in another. Look back further above.</p>
      </Notice>
    );
  }
  const failed = [rates, ...queries].filter(({ error }) => error !== null);
  const { linksLeftOut } = graph.data;
  return (
    <>
      {failed[0] !== undefined && (
        <PartFailure
          what={failed[0] === rates ? "Rates of services" : "Figures of calls"}
          error={failed[0].error}
          onRetry={() => failed.map((query) => query.refetch())}
        />
      )}
      {(groups.size > 0 || linksLeftOut > 0) && (
        <p className="graph-note">
          {groups.size > 0 && "Services whose names begin alike are one box: click it to open it. "}
          {linksLeftOut > 0 && `${formatCount(linksLeftOut)} links with the fewest calls are not shown.`}
        </p>
      )}
      <LaidOut
        dependencies={dependencies}
        draw={(placed) => (
          <ServiceGraph
            {...{ graph: placed, dependencies, groups, focus, facts, lookbackMs }}
            rates={rates.data}
            ratesFailed={rates.error !== null}
            onFocus={onFocus}
            onGroup={onGroup}
          />
        )}
      />
    </>
  );
}

/**
 * Loads figures of the calls to and from the service in focus. Sends no request without a focus, or to a store
 * without TraceQL.
 * @returns the figures by neighbour, empty until they are loaded, and the queries, which report failures
 */
function useEdgeFacts(focus: string | undefined, endMs: number, lookbackMs: number) {
  const can = useQuery({ ...capabilitiesQuery, enabled: focus !== undefined });
  const asksEdges = focus !== undefined && can.data?.traceql === true;
  const callers = useQuery({
    ...edgeFactsQuery(focus ?? "", "callers", endMs, lookbackMs),
    enabled: asksEdges,
  });
  const callees = useQuery({
    ...edgeFactsQuery(focus ?? "", "callees", endMs, lookbackMs),
    enabled: asksEdges,
  });
  const facts = useMemo(
    () => ({ callers: callers.data ?? noFacts, callees: callees.data ?? noFacts }),
    [callers.data, callees.data],
  );
  return { facts, queries: [can, callers, callees] };
}

/**
 * Draws a graph. Until the first layout it has no services. During the layout of a new graph, the old
 * graph stays.
 */
function LaidOut(props: {
  dependencies: readonly Dependency[];
  draw: (graph: ReturnType<typeof useGraphLayout>) => ReactNode;
}) {
  // Render the frame first. React draws the graph in the background, so clicks still work.
  const dependencies = useDeferredValue<readonly Dependency[] | null>(props.dependencies, null);
  return props.draw(useGraphLayout(dependencies));
}
