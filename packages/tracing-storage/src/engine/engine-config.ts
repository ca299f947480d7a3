import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

export interface EngineLimits {
  /** Of everything the engine holds; the engine itself lowers it to 90 % of the machine's memory. */
  readonly maxMemoryBytes: number;
  /** Of one query. */
  readonly maxQueryMemoryBytes: number;
  /** Of one result, before compression; the result is held in memory until it is sent. */
  readonly maxResultBytes: number;
  /** Of one query; 0 is no limit. */
  readonly maxQuerySeconds: number;
}

/**
 * Engines whose tables live in the data folder or in memory. Others read and write files anywhere or call other
 * hosts: an embedded engine, unlike a server, does not confine `File` tables to a folder.
 */
export const tableEngines: readonly string[] = [
  ...["", "Replacing", "Summing", "Aggregating", "Collapsing", "VersionedCollapsing"].map(
    (n) => `${n}MergeTree`,
  ),
  ..."Memory Null Buffer Log TinyLog StripeLog Set Join Merge GenerateRandom View MaterializedView".split(
    " ",
  ),
];

const revoked = [
  // files and other hosts
  "READ, WRITE, SOURCES, BACKUP, CREATE DICTIONARY, CREATE FUNCTION, NAMED COLLECTION ADMIN ON *.*",
  // what would end the process or open ports behind its back
  "SYSTEM SHUTDOWN, SYSTEM LISTEN, SYSTEM FAILPOINT, SYSTEM THREAD FUZZER ON *.*",
  "TABLE ENGINE ON *",
];

/** Settings that name a file or another host, which formats then read or write without asking for a grant. */
const fixedSettings = [
  "format_template_resultset",
  "format_template_row",
  "format_schema",
  "format_schema_source",
  "output_format_schema",
  "input_format_record_errors_file_path",
  "rename_files_after_processing",
  "format_avro_schema_registry_url",
];

/** The profile of read-only users; taken on by `SET profile`, together with `readonly = 2`. */
export const readerProfile = "reader";

/**
 * Of granules that are kept unpacked, for statements that ask for it (`use_uncompressed_cache`): searches; whole traces are read from parts, which
 * has a cache of its own. Under load it is always full: memory that the process has for good.
 */
const uncompressedCacheBytes = 33_554_432;

/**
 * Threads that do one kind of work in the background. The engine's own numbers are for servers: old parts, of which a merge leaves ten, are
 * deleted by up to 128. Each thread holds three open files and some hundred kilobytes for good.
 */
const backgroundThreads = 2;
/**
 * Parts that a merge has made one of are deleted after so long, or twice as long where there are few. The engine would wait for up to five minutes:
 * under load hundreds of parts, which take memory and double the disk. It does not sync what a merge wrote either, but deletes what it was
 * made of: rows that were synced when they came would be lost with the power for half a minute. So merges are synced here.
 */
const cleanupSeconds = 5;
/** Idle threads that are kept; further ones end. */
const idleThreads = 16;
/**
 * Of what the engine's allocator holds, for each core: above that, what was freed goes back to the system at once, not after the seconds of
 * `allocator.ts`. Two merges, an insert and a search that meet would otherwise come on top of what those before them have left.
 */
const heldBytesPerCore = 188_743_680;

/**
 * Merges at once: one for each core, two at least. The engine would run twice as many as it has threads for, and a merge takes some 50 MiB, however
 * small it is. The last one that can begin is a small one (`number_of_free_entries_in_pool_to_lower_max_size_of_merge`): while a large
 * merge goes on for minutes, new parts are merged beside it.
 */
function mergesAtOnce(cores: number): number {
  return Math.max(2, cores);
}
/** Of merges at once, those with whose number the size of the next one begins to shrink: as the engine has it where there are many. */
const mergesToShrinkAt = 8;
/**
 * Rows that a merge takes from each part at a time, and what of a column is packed at once. Both are half of the engine's own: merges of ten parts take
 * 46 MiB in place of 55, at most 53 in place of 73, in the same time and to as many bytes.
 */
const mergeBlockRows = 4_096;
const maxCompressBlockBytes = 524_288;

/** `heldBytesPerCore` as the engine wants it: a part of all the memory that it may have; 0.9, its default, at most. */
export function purgeRatio(maxMemoryBytes: number, cores: number): number {
  return Math.min(0.9, (cores * heldBytesPerCore) / maxMemoryBytes);
}

function serverXml(usersPath: string, limits: EngineLimits): string {
  const merges = mergesAtOnce(availableParallelism());
  return `<clickhouse>
  <users_config>${usersPath}</users_config>
  <max_server_memory_usage>${limits.maxMemoryBytes}</max_server_memory_usage>
  <memory_worker_use_cgroup>0</memory_worker_use_cgroup>
  <memory_worker_purge_total_memory_threshold_ratio>${purgeRatio(limits.maxMemoryBytes, availableParallelism())}</memory_worker_purge_total_memory_threshold_ratio>
  <memory_worker_decay_adjustment_period_ms>0</memory_worker_decay_adjustment_period_ms>
  <uncompressed_cache_size>${uncompressedCacheBytes}</uncompressed_cache_size>
  <mark_cache_size>134217728</mark_cache_size>
  <index_mark_cache_size>67108864</index_mark_cache_size>
  <primary_index_cache_size>134217728</primary_index_cache_size>
  <query_condition_cache_size>4194304</query_condition_cache_size>
  <mmap_cache_size>0</mmap_cache_size>
  <background_pool_size>${merges}</background_pool_size>
  <background_merges_mutations_concurrency_ratio>1</background_merges_mutations_concurrency_ratio>
  <max_parts_cleaning_thread_pool_size>${backgroundThreads}</max_parts_cleaning_thread_pool_size>
  <max_active_parts_loading_thread_pool_size>${backgroundThreads}</max_active_parts_loading_thread_pool_size>
  <max_outdated_parts_loading_thread_pool_size>${backgroundThreads}</max_outdated_parts_loading_thread_pool_size>
  <max_thread_pool_free_size>${idleThreads}</max_thread_pool_free_size>
  <access_control_improvements>
    <table_engines_require_grant>true</table_engines_require_grant>
  </access_control_improvements>
  <merge_tree>
    <fsync_after_insert>1</fsync_after_insert>
    <fsync_part_directory>1</fsync_part_directory>
    <min_rows_to_fsync_after_merge>1</min_rows_to_fsync_after_merge>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>${Math.min(merges, mergesToShrinkAt)}</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <merge_max_block_size>${mergeBlockRows}</merge_max_block_size>
    <max_compress_block_size>${maxCompressBlockBytes}</max_compress_block_size>
    <cleanup_delay_period>${cleanupSeconds}</cleanup_delay_period>
    <max_cleanup_delay_period>${2 * cleanupSeconds}</max_cleanup_delay_period>
    <cleanup_delay_period_random_add>0</cleanup_delay_period_random_add>
  </merge_tree>
</clickhouse>
`;
}

/** What a read-only user may lower, and not raise: one query of it must not harm the others. */
function readerConstraints(limits: EngineLimits): string[] {
  const most: readonly (readonly [setting: string, max: number])[] = [
    ["max_memory_usage", limits.maxQueryMemoryBytes],
    ["max_result_bytes", limits.maxResultBytes],
    ["max_execution_time", limits.maxQuerySeconds],
  ];
  return [
    ...[...fixedSettings, "priority"].map((setting) => `<${setting}><const/></${setting}>`),
    // 0 would be no limit.
    ...most
      .filter(([, max]) => max > 0)
      .map(([setting, max]) => `<${setting}><min>1</min><max>${max}</max></${setting}>`),
  ];
}

function usersXml(limits: EngineLimits): string {
  const grants = [
    "GRANT ALL ON *.*",
    ...revoked.map((list) => `REVOKE ${list}`),
    ...tableEngines.map((engine) => `GRANT TABLE ENGINE ON ${engine}`),
  ];
  return `<clickhouse>
  <profiles>
    <default>
      <constraints>
${fixedSettings.map((setting) => `        <${setting}><const/></${setting}>`).join("\n")}
      </constraints>
    </default>
    <${readerProfile}>
      <constraints>
${readerConstraints(limits)
  .map((constraint) => `        ${constraint}`)
  .join("\n")}
      </constraints>
    </${readerProfile}>
  </profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
${grants.map((grant) => `        <query>${grant}</query>`).join("\n")}
      </grants>
    </default>
  </users>
</clickhouse>
`;
}

/**
 * Writes the engine's configuration: memory limits, caches, what is synced to disk (every insert is, before it is
 * acknowledged), and what SQL may not do.
 * @param folder exists
 * @returns the path for `--config-file`. It is always given: without it the engine looks for a config.xml in the
 *   working directory and in the user's home.
 */
export function writeEngineConfig(folder: string, limits: EngineLimits): string {
  const usersPath = join(folder, "users.xml");
  const configPath = join(folder, "config.xml");
  writeFileSync(usersPath, usersXml(limits));
  writeFileSync(configPath, serverXml(usersPath, limits));
  return configPath;
}

/** Settings every connection starts with; a request may change them. */
export function connectionSettings(limits: EngineLimits): string[] {
  return [
    `--max_memory_usage=${limits.maxQueryMemoryBytes}`,
    `--max_result_bytes=${limits.maxResultBytes}`,
    `--max_execution_time=${limits.maxQuerySeconds}`,
    // `1+1` without SELECT is a habit of the embedded engine, not of a server.
    "--implicit_select=0",
  ];
}
