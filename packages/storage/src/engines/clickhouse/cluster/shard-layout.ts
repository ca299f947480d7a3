/**
 * Distribution of spans over the shards of a cluster. The tables contain the distribution, so that a change of the
 * servers' `remote_servers` alone has no effect. Otherwise a block that is partly written before such a change and
 * repeated after it would be split differently under the same token. See docs/adr/012-cluster.md.
 */
export interface ShardLayout {
  /** Sum of the weights of the shards that get new spans. They are the first shards of the cluster. */
  readonly slots: number;
  /**
   * From `day` (UTC) on, received spans are distributed over `slots`. The token of a block contains the day, so a
   * repeated block goes to the same shards.
   */
  readonly next?: { readonly day: string; readonly slots: number } | undefined;
}

const hash = "cityHash64(trace_id)";

/** Sharding key of tables with a trace id. @param layout undefined: the servers' configuration decides */
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

/** Reads the layout from the engine of a distributed table. @returns undefined when the engine contains no layout */
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

/** The layout that one server has. */
export interface HostLayout {
  /** Version of the schema; 0 without tables. */
  readonly version: number;
  /** Layout in the server's tables. Undefined when the tables contain no layout. */
  readonly layout: ShardLayout | undefined;
  /** Sum of the weights of all shards in its configuration. */
  readonly slots: number;
}

/**
 * The layout that all servers should have: the newest layout of any server. If no server has a layout, the servers'
 * configuration decides, if it is the same on all servers.
 * @returns undefined when the layout cannot be determined
 */
export function wantedLayout(hosts: readonly HostLayout[]): ShardLayout | undefined {
  const withTables = hosts.filter(({ version }) => version > 0);
  const layouts = hosts.flatMap(({ layout }) => layout ?? []);
  const changing = layouts
    .filter(({ next }) => next !== undefined)
    .sort(byDay)
    .at(-1);
  if (changing !== undefined) {
    // A change is complete only after every server had the changed layout.
    return (
      layouts.find(({ slots, next }) => next === undefined && slots === changing.next?.slots) ?? changing
    );
  }
  // The configuration of a newly added server may already have more shards.
  const known = withTables.length > 0 ? withTables : hosts;
  const counts = new Set((layouts.length > 0 ? layouts : known).map(({ slots }) => slots));
  const [slots = 0] = counts;
  return counts.size === 1 && slots > 0 ? { slots } : undefined;
}

/** False when the tables of a server must be recreated, so that it distributes spans like the other servers. */
export function isSettled(hosts: readonly HostLayout[]): boolean {
  const wanted = wantedLayout(hosts);
  return wanted === undefined || hosts.every(({ layout }) => shardingKey(layout) === shardingKey(wanted));
}

function byDay(one: ShardLayout, other: ShardLayout): number {
  return (one.next?.day ?? "") < (other.next?.day ?? "") ? -1 : 1;
}
