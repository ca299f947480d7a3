/**
 * How spans are spread over the shards of a cluster. The tables name it, so that a change of the servers'
 * `remote_servers` alone moves nothing. Otherwise a block that is half written before such a change, and
 * repeated after it, would be split differently under the same token. See docs/adr/012-cluster.md.
 */
export interface ShardLayout {
  /** Sum of the weights of the shards that take spans, which are the first ones of the cluster. */
  readonly slots: number;
  /**
   * From this day (UTC) on, received spans are spread over `slots`. The token of a block contains the day, so
   * a repeated block goes to the same shards.
   */
  readonly next?: { readonly day: string; readonly slots: number } | undefined;
}

const hash = "cityHash64(trace_id)";

/** The sharding key of tables with a trace id. @param layout undefined: that of the servers' configuration */
export function shardingKey(layout: ShardLayout | undefined): string {
  if (layout === undefined) {
    return hash;
  }
  const { slots, next } = layout;
  if (next === undefined) {
    return `${hash} % ${slots}`;
  }
  return `${hash} % if(received < toDate('${next.day}'), ${slots}, ${next.slots})`;
}

/**
 * Reads the layout from the engine of a table that spans the cluster. @returns undefined when the table names
 * none
 */
export function layoutOf(engine: string): ShardLayout | undefined {
  const text = engine.replaceAll(/\s+/g, " ");
  const fixed = /cityHash64\(trace_id\) % (\d+)/.exec(text)?.[1];
  if (fixed !== undefined) {
    return { slots: Number(fixed) };
  }
  const changing =
    /cityHash64\(trace_id\) % if\(received < toDate\('(\d{4}-\d\d-\d\d)'\), (\d+), (\d+)\)/.exec(text);
  if (changing === null) {
    return undefined;
  }
  const [, day = "", slots, later] = changing;
  return { slots: Number(slots), next: { day, slots: Number(later) } };
}

/** The layout as one server knows it. */
export interface HostLayout {
  /** Version of its schema; 0 without tables. */
  readonly version: number;
  /** Layout that the host told; undefined when it told none. */
  readonly layout: ShardLayout | undefined;
  /** Sum of the weights of all shards in its configuration. */
  readonly slots: number;
}

/**
 * The layout that all servers should have: the newest of any server. When no server has one, it is the
 * configuration's, if all servers have the same configuration.
 * @returns undefined when it cannot be determined
 */
export function wantedLayout(hosts: readonly HostLayout[]): ShardLayout | undefined {
  const withTables = hosts.filter(({ version }) => version > 0);
  const layouts = hosts.flatMap(({ layout }) => layout ?? []);
  const changing = layouts
    .filter(({ next }) => next !== undefined)
    .sort(byDay)
    .at(-1);
  if (changing !== undefined) {
    // A change is ended only after every server had it.
    return (
      layouts.find(({ slots, next }) => next === undefined && slots === changing.next?.slots) ?? changing
    );
  }
  // A server that is added may know of more shards already.
  const known = withTables.length > 0 ? withTables : hosts;
  const counts = new Set((layouts.length > 0 ? layouts : known).map(({ slots }) => slots));
  const [slots = 0] = counts;
  return counts.size === 1 && slots > 0 ? { slots } : undefined;
}

/** False when a server's tables must be recreated, so that it spreads spans as the others do. */
export function isSettled(hosts: readonly HostLayout[]): boolean {
  const wanted = wantedLayout(hosts);
  return wanted === undefined || hosts.every(({ layout }) => shardingKey(layout) === shardingKey(wanted));
}

function byDay(one: ShardLayout, other: ShardLayout): number {
  return (one.next?.day ?? "") < (other.next?.day ?? "") ? -1 : 1;
}
