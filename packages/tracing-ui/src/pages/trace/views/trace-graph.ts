import { selfTimes } from "../../../trace/self-times.ts";
import { spanFlag, type Trace } from "../../../trace/trace.ts";

/** A node: the spans of one operation, or of one service. */
export interface GraphNode {
  /** Index of the service in `trace.services`. */
  service: number;
  /** Name of the operation; undefined when the node stands for a whole service. */
  operation: string | undefined;
  /** Index of the first span. */
  first: number;
  /** Number of the spans. */
  count: number;
  /** Failed spans. */
  errors: number;
  /** Sum of the spans' durations in microseconds. */
  totalUs: number;
  /** Sum of the spans' self times in microseconds. */
  selfUs: number;
}

/** Calls from one node to another. */
export interface GraphEdge {
  /** Index of the calling node. */
  from: number;
  /** Index of the called node. */
  to: number;
  count: number;
  errors: number;
}

/** The calls within a trace. */
export interface TraceGraph {
  /** True when nodes are services, because there were too many operations. */
  ofServices: boolean;
  nodes: readonly GraphNode[];
  /** Edges between different nodes. Calls within a node are not drawn. */
  edges: readonly GraphEdge[];
}

/** The calls within a whole trace. */
export interface WholeGraph extends TraceGraph {
  /** Per span: index of its node. */
  nodeOf: Int32Array;
}

/** Maximum number of operations that are drawn. With more, nodes are services. */
const mostOperations = 120;

/** Maximum number of edges of a graph that is drawn whole. With more, lines hide each other. */
const mostEdges = 150;
/** Maximum number of nodes that are drawn around one node. */
const mostAround = 40;
/** Maximum number of callers of that node that are drawn. */
const mostCallers = 8;

/** True when a graph has too many nodes or edges to be read as a whole. */
export function isTooLarge({ nodes, edges }: TraceGraph): boolean {
  return nodes.length > mostOperations || edges.length > mostEdges;
}

/**
 * The part of a graph around one node: its callers with most calls, then the called nodes level by level, those
 * with most time first, up to 40 nodes. The node itself is the first one.
 */
export function graphAround(graph: TraceGraph, node: number): TraceGraph {
  const { nodes, edges } = graph;
  const calls = Map.groupBy(edges, ({ from }) => from);
  const chosen = new Set([node]);
  const callers = edges.filter(({ to }) => to === node).sort((a, b) => b.count - a.count);
  const timeOf = (at: number) => nodes[at]?.totalUs ?? 0;
  let level = [node];
  while (level.length > 0) {
    const called = new Set(level.flatMap((at) => (calls.get(at) ?? []).map(({ to }) => to)));
    level = [...called]
      .filter((at) => !chosen.has(at))
      .sort((a, b) => timeOf(b) - timeOf(a))
      .slice(0, Math.max(0, mostAround - mostCallers - chosen.size));
    for (const at of level) {
      chosen.add(at);
    }
  }
  for (const { from } of callers.slice(0, mostCallers)) {
    chosen.add(from);
  }
  const kept = [...chosen];
  const place = new Map(kept.map((at, index) => [at, index]));
  return {
    ofServices: graph.ofServices,
    nodes: kept.flatMap((at) => nodes[at] ?? []),
    edges: edges.flatMap((edge) => {
      const [from, to] = [place.get(edge.from), place.get(edge.to)];
      return from === undefined || to === undefined ? [] : [{ ...edge, from, to }];
    }),
  };
}

/** Groups the spans by operation, or by service when there are too many operations to read. */
export function traceGraph(trace: Trace): WholeGraph {
  const operations = graphBy(trace, (span) => trace.spans[span]?.operationName);
  return operations.nodes.length <= mostOperations ? operations : graphBy(trace, () => undefined);
}

/** Nodes and edges in one pass over the spans; parents come before children. */
function graphBy(trace: Trace, operationOf: (span: number) => string | undefined): WholeGraph {
  const self = selfTimes(trace);
  const nodes: GraphNode[] = [];
  const nodeOf = new Int32Array(trace.spans.length);
  const known = new Map<string, number>();
  const edges = new Map<string, GraphEdge>();
  let ofServices = true;
  for (let span = 0; span < trace.spans.length; span += 1) {
    const service = trace.service[span] as number;
    const operation = operationOf(span);
    if (operation !== undefined) {
      ofServices = false;
    }
    const key = `${service} ${operation ?? ""}`;
    let at = known.get(key);
    if (at === undefined) {
      at = nodes.length;
      known.set(key, at);
      nodes.push({ service, operation, first: span, count: 0, errors: 0, totalUs: 0, selfUs: 0 });
    }
    nodeOf[span] = at;
    const failed = ((trace.flags[span] as number) & spanFlag.error) !== 0 ? 1 : 0;
    const node = nodes[at] as GraphNode;
    node.count += 1;
    node.errors += failed;
    node.totalUs += trace.spanUs[span] as number;
    node.selfUs += self[span] as number;
    const up = trace.parent[span] as number;
    const from = up === -1 ? at : (nodeOf[up] as number);
    if (from === at) {
      continue;
    }
    const edgeKey = `${from} ${at}`;
    const edge = edges.get(edgeKey) ?? { from, to: at, count: 0, errors: 0 };
    edge.count += 1;
    edge.errors += failed;
    edges.set(edgeKey, edge);
  }
  return { ofServices, nodes, edges: [...edges.values()], nodeOf };
}
