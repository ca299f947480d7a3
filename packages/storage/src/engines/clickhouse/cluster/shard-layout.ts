/**
 * How spans are spread over the shards of a cluster. The tables name it, so that a change of the servers' `remote_servers` alone moves
 * nothing: a block that is half written before such a change, and sent again after it, would otherwise be split in another way under
 * the same token. See docs/adr/012-cluster.md.
 */
export interface ShardLayout {
  /** Sum of the weights of the shards that take spans: the first ones of the cluster. */
  readonly slots: number;
  /** What is received from this day on, UTC, is spread over so many. The token of a block has the day, so a retry goes where it went. */
  readonly next?: { readonly day: string; readonly slots: number } | undefined;
}

const hash = "cityHash64(trace_id)";

/** The sharding key of tables with a trace id. @param layout undefined: as the servers' configuration says */
export function shardingKey(layout: ShardLayout | undefined): string {
  if (layout === undefined) return hash;
  const { slots, next } = layout;
  if (next === undefined) return `${hash} % ${slots}`;
  return `${hash} % if(received < toDate('${next.day}'), ${slots}, ${next.slots})`;
}

/** Reads the layout from the engine of a table that spans the cluster. @returns undefined where the table names none */
export function layoutOf(engine: string): ShardLayout | undefined {
  const text = engine.replaceAll(/\s+/g, " ");
  const fixed = /cityHash64\(trace_id\) % (\d+)/.exec(text)?.[1];
  if (fixed !== undefined) return { slots: Number(fixed) };
  const changing =
    /cityHash64\(trace_id\) % if\(received < toDate\('(\d{4}-\d\d-\d\d)'\), (\d+), (\d+)\)/.exec(text);
  if (changing === null) return undefined;
  const [, day = "", slots, later] = changing;
  return { slots: Number(slots), next: { day, slots: Number(later) } };
}

/** The layout as one server knows it. */
export interface HostLayout {
  /** Of its schema; 0 where it has no tables yet. */
  readonly version: number;
  readonly layout: ShardLayout | undefined;
  /** Sum of the weights of all shards in its configuration. */
  readonly slots: number;
}

/**
 * The layout that all servers are to have: the newest one that a server has; where none has any, that of the configuration, if all
 * servers have the same.
 * @returns undefined where nobody can tell
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

/** A server needs its tables made anew to spread spans as the others do. */
export function isSettled(hosts: readonly HostLayout[]): boolean {
  const wanted = wantedLayout(hosts);
  return wanted === undefined || hosts.every(({ layout }) => shardingKey(layout) === shardingKey(wanted));
}

function byDay(one: ShardLayout, other: ShardLayout): number {
  return (one.next?.day ?? "") < (other.next?.day ?? "") ? -1 : 1;
}
