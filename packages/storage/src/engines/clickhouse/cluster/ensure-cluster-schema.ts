import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import { isAlterInTheWay, isReplicaThere } from "../clickhouse-errors.ts";
import type { ClusterSettings } from "../cluster-settings.ts";
import { schemaVersion, stepsFrom } from "../schema/migrations.ts";
import { withSchemaLock } from "../schema/schema-lock.ts";
import { attachSources } from "../schema/without-inserts.ts";
import {
  type ClusterStatement,
  clusterStatements,
  databaseStatement,
  distributedStatements,
  localSources,
  versionStatement,
} from "./cluster-statements.ts";
import { copySchema } from "./copy-schema.ts";
import { type HostState, hostStates, type LookLimits } from "./host-state.ts";
import { changedViews, replaceViews } from "./replace-views.ts";
import { isSettled, wantedLayout } from "./shard-layout.ts";

/** Milliseconds until a statement fails. Some statements copy stored rows into a new table. */
const statementTimeoutMs = 3_600_000;
/** Maximum number of attempts for a statement that collides with the same change through another replica. */
const attempts = 40;
const attemptEveryMs = 250;

/** Addresses of servers with a fault, by the kind of the fault. */
export interface SeenHosts {
  /** Servers that do not answer, or refuse our credentials. */
  readonly away: readonly string[];
  /** Servers that answer but cannot reach their Keeper. */
  readonly readOnly: readonly string[];
  /** Servers with tables that refuse inserts because the parts differ from the parts that the Keeper knows. */
  readonly stray: readonly string[];
  /**
   * Servers that answer but have lost their tables. The Keeper still lists their replicas, so the tables cannot be
   * created again.
   */
  readonly emptied: readonly string[];
}

/**
 * Migrates all listed servers of a cluster to this version's schema. If all servers are up to date, this costs one read
 * of each server. Servers that are down are skipped.
 * @throws StorageError as in `hostStates`
 */
export async function ensureClusterSchema(
  connection: ClickHouseConnection,
  database: string,
  cluster: ClusterSettings,
  look: LookLimits = {},
): Promise<SeenHosts> {
  const { signal } = look;
  const seen = await hostStates(connection, database, cluster, look);
  const [first] = seen.states;
  if (first === undefined || isDone(seen.states)) {
    return seenHosts(seen);
  }
  await first.connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
  return await withSchemaLock(
    first.connection,
    database,
    async () => {
      // Another process may have migrated the servers while this process waited for the lock.
      const { states, away } = await hostStates(connection, database, cluster, look);
      const emptied = isDone(states) ? [] : await migrate(states, database, cluster, signal);
      return seenHosts({ states, away }, emptied);
    },
    { signal },
  );
}

function seenHosts(
  { states, away }: { states: readonly HostState[]; away: readonly string[] },
  emptied: readonly HostState[] = [],
): SeenHosts {
  const urls = (hosts: readonly HostState[]) => hosts.map(({ url }) => url);
  return {
    away,
    readOnly: urls(states.filter(({ isReadOnly }) => isReadOnly)),
    stray: urls(states.filter(({ isStray }) => isStray)),
    emptied: urls(emptied),
  };
}

function isDone(states: readonly HostState[]): boolean {
  return states.every(({ version }) => version === schemaVersion) && isSettled(states);
}

/** @returns servers whose tables cannot be created yet */
async function migrate(
  seen: readonly HostState[],
  database: string,
  cluster: ClusterSettings,
  signal: AbortSignal | undefined,
): Promise<readonly HostState[]> {
  for (const { connection } of seen) {
    await attachSources(connection, database, localSources);
  }
  const newest = Math.max(...seen.map(({ version }) => version));
  // An added shard copies the tables of another shard, which may have columns of earlier versions.
  const versionOf = (hosts: readonly HostState[]) =>
    cluster.onCluster ? newest : Math.max(...hosts.map((host) => host.version)) || newest;
  const emptied: HostState[] = [];
  for (const hosts of Map.groupBy(seen, ({ shard }) => shard).values()) {
    emptied.push(...(await levelUp(seen, hosts, { database, version: versionOf(hosts), signal })));
  }
  const states = seen.filter((host) => !emptied.includes(host));
  if (isDone(states)) {
    return emptied;
  }
  const run = (hosts: readonly HostState[], sql: string) => runOn(hosts, sql, signal);
  const everywhere = (sql: string) => run(cluster.onCluster ? states.slice(0, 1) : states, sql);
  await everywhere(databaseStatement(database, cluster));
  const shards = [...Map.groupBy(states, ({ shard }) => shard).values()];
  const isNew = newest === 0 && !states.some(({ isBegun }) => isBegun);
  const stepsAfter = (version: number) =>
    stepsFrom(version, isNew).flatMap((step) =>
      clusterStatements(step.statements(database), database, cluster),
    );
  if (cluster.onCluster) {
    for (const { sql, copies } of stepsAfter(newest)) {
      await run(copies ? shards.flatMap((hosts) => hosts.slice(0, 1)) : states.slice(0, 1), sql);
    }
  } else {
    for (const hosts of shards) {
      await runSteps(hosts, stepsAfter(versionOf(hosts)), { database, run, signal });
    }
  }
  for (const sql of distributedStatements(database, cluster, wantedLayout(states))) {
    await everywhere(sql);
  }
  await everywhere(versionStatement(database, schemaVersion, cluster));
  return emptied;
}

/** Options for running steps. */
interface RunOptions {
  readonly database: string;
  /** Runs a statement on the servers, one server at a time. */
  readonly run: (hosts: readonly HostState[], sql: string) => Promise<void>;
  /** Stops the run between two statements. */
  readonly signal: AbortSignal | undefined;
}

/** Runs steps on the replicas of a shard. Views are changed at the end, and then all views are created again. */
async function runSteps(
  hosts: readonly HostState[],
  steps: readonly ClusterStatement[],
  { database, run, signal }: RunOptions,
): Promise<void> {
  const queries = changedViews(steps);
  const ofViews = steps.filter(({ sql }) => changedViews([{ sql, copies: false }]).size > 0);
  for (const step of steps) {
    if (!ofViews.includes(step)) {
      // Each statement runs on all replicas before the next statement, so that all replicas create a table in the same
      // form.
      await run(step.copies ? hosts.slice(0, 1) : hosts, step.sql);
    }
  }
  if (queries.size === 0) {
    return;
  }
  for (const host of hosts) {
    if (!(await replaceViews(host.connection, database, queries, signal))) {
      for (const { sql } of ofViews) {
        await run([host], sql);
      }
    }
  }
}

/** Options for bringing servers to one version. */
interface LevelUpOptions {
  readonly database: string;
  /** Version that the servers should have. */
  readonly version: number;
  /** Stops between two servers. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Copies tables to servers with an older version. The source has this version, and is in the same shard if possible.
 * @returns servers that lost their tables while the Keeper still lists their replicas; their shards continue without
 * these servers
 */
async function levelUp(
  states: readonly HostState[],
  hosts: readonly HostState[],
  { database, version, signal }: LevelUpOptions,
): Promise<readonly HostState[]> {
  const leader = [...hosts, ...states].find((host) => host.version === version);
  if (leader === undefined || version === 0) {
    return [];
  }
  const emptied: HostState[] = [];
  for (const host of hosts) {
    if (host.version >= version) {
      continue;
    }
    try {
      await host.connection.command(`CREATE DATABASE IF NOT EXISTS ${database}`, signal);
      await copySchema(leader.connection, host.connection, database, signal);
    } catch (error) {
      if (!isReplicaThere(error) || !hosts.includes(leader)) {
        throw error;
      }
      emptied.push(host);
    }
  }
  return emptied;
}

async function runOn(
  hosts: readonly HostState[],
  sql: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { connection } of hosts) {
    for (let attempt = 1; ; attempt++) {
      try {
        await connection.longCommand(sql, statementTimeoutMs, signal);
        break;
      } catch (error) {
        if (attempt === attempts || !isAlterInTheWay(error)) {
          throw error;
        }
        await sleep(attemptEveryMs);
      }
    }
  }
}
