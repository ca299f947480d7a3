import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

export interface EngineLimits {
  /** Memory limit of the whole engine in bytes; the engine lowers it to 90 % of the machine's memory. */
  readonly maxMemoryBytes: number;
  /** Memory limit of one query in bytes. */
  readonly maxQueryMemoryBytes: number;
  /** Size limit of one result in bytes, before compression, because the whole result is in memory until it is sent. */
  readonly maxResultBytes: number;
  /** Maximum number of seconds of one query; 0: no limit. A longer query is cancelled. */
  readonly maxQuerySeconds: number;
}

/**
 * Table engines that store their data in the data folder or in memory. Other engines read and write any file or call
 * other hosts, because an embedded engine, unlike a server, does not confine `File` tables to a folder.
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
  // Statements that use files or other hosts.
  "READ, WRITE, SOURCES, BACKUP, CREATE DICTIONARY, CREATE FUNCTION, NAMED COLLECTION ADMIN ON *.*",
  // Statements that would end the process or open ports.
  "SYSTEM SHUTDOWN, SYSTEM LISTEN, SYSTEM FAILPOINT, SYSTEM THREAD FUZZER ON *.*",
  "TABLE ENGINE ON *",
];

/** Settings that name a file or another host. Formats would use these settings without a grant. */
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

/** The profile of read-only users; `SET profile` selects it together with `readonly = 2`. */
export const readerProfile = "reader";

/**
 * Size in bytes of the cache of uncompressed granules. Searches use this cache, because they set
 * `use_uncompressed_cache`. Whole traces are read from parts, which have a separate cache. Under load the cache is
 * always full, so this memory is always used.
 */
const uncompressedCacheBytes = 33_554_432;

/**
 * Number of threads for each kind of background work. The engine's defaults are for dedicated servers: after each
 * merge, up to 128 threads would delete the old parts. Each thread permanently needs three open files and several
 * hundred kilobytes of memory.
 */
const backgroundThreads = 2;
/**
 * Interval in seconds of the cleanup that deletes parts whose rows were merged into another part. If there are few such
 * parts, the interval is twice as long. The engine would wait up to five minutes, which under load means hundreds of
 * parts, more memory, and twice the disk space. The engine also deletes old parts without syncing the merged part: a
 * power cut within half a minute would lose rows that were synced on arrival. This configuration therefore also syncs
 * merged parts.
 */
const cleanupSeconds = 5;
/** Idle threads that are kept; further threads end. */
const idleThreads = 16;
/**
 * Bytes of freed memory that the allocator keeps for each core. Above this limit, freed memory returns to the system
 * immediately, and not only after the seconds in `allocator.ts`. Without this limit, concurrent merges, inserts and
 * searches would take new memory while much freed memory is still kept.
 */
const heldBytesPerCore = 188_743_680;

/**
 * Number of concurrent merges: one for each core, but at least two. The engine would run twice as many merges as
 * threads, and even a small merge needs about 50 MiB. The last merge that can start must be small
 * (`number_of_free_entries_in_pool_to_lower_max_size_of_merge`), so that new parts are merged while a large merge runs
 * for minutes.
 */
function mergesAtOnce(cores: number): number {
  return Math.max(2, cores);
}
/**
 * If fewer merges than this can still start, the size limit of the next merge decreases; this is the engine's default.
 */
const mergesToShrinkAt = 8;
/**
 * Number of rows that a merge reads from each part in one step. The next constant is the number of bytes of a column
 * that are compressed together. Both are half of the engine's defaults. With them, merges of ten parts need 46 MiB
 * instead of 55, and at most 53 MiB instead of 73. The duration of merges and the size of their results stay the same.
 */
const mergeBlockRows = 4_096;
const maxCompressBlockBytes = 524_288;

/** `heldBytesPerCore` in the engine's form: a share of its memory limit, at most 0.9, which is its default. */
export function purgeRatio(maxMemoryBytes: number, cores: number): number {
  return Math.min(0.9, (cores * heldBytesPerCore) / maxMemoryBytes);
}

function serverXml(usersPath: string, limits: EngineLimits, more: string): string {
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
    <max_suspicious_broken_parts>1000000</max_suspicious_broken_parts>
    <max_suspicious_broken_parts_bytes>1000000000000000</max_suspicious_broken_parts_bytes>
    <cleanup_delay_period>${cleanupSeconds}</cleanup_delay_period>
    <max_cleanup_delay_period>${2 * cleanupSeconds}</max_cleanup_delay_period>
    <cleanup_delay_period_random_add>0</cleanup_delay_period_random_add>
  </merge_tree>${more === "" ? "" : `\n  ${more}`}
</clickhouse>
`;
}

/** Limits that a read-only user may lower but not raise, because queries of this user must not slow other users. */
function readerConstraints(limits: EngineLimits): string[] {
  const most: readonly (readonly [setting: string, max: number])[] = [
    ["max_memory_usage", limits.maxQueryMemoryBytes],
    ["max_result_bytes", limits.maxResultBytes],
    ["max_execution_time", limits.maxQuerySeconds],
  ];
  return [
    ...[...fixedSettings, "priority"].map((setting) => `<${setting}><const/></${setting}>`),
    // 0 would mean no limit, so 0 is excluded.
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
 * Writes the engine's configuration: memory limits, caches, syncing (each insert is synced before it is acknowledged),
 * and forbidden SQL statements.
 * @param folder exists
 * @param more further elements of the configuration
 * @returns the path for `--config-file`. It is always given: without it the engine looks for a config.xml in
 *   the working directory and in the user's home.
 */
export function writeEngineConfig(folder: string, limits: EngineLimits, more = ""): string {
  const usersPath = join(folder, "users.xml");
  const configPath = join(folder, "config.xml");
  writeFileSync(usersPath, usersXml(limits));
  writeFileSync(configPath, serverXml(usersPath, limits, more));
  return configPath;
}

/** Settings with which every connection starts. A request may change these settings. */
export function connectionSettings(limits: EngineLimits): string[] {
  return [
    `--max_memory_usage=${limits.maxQueryMemoryBytes}`,
    `--max_result_bytes=${limits.maxResultBytes}`,
    `--max_execution_time=${limits.maxQuerySeconds}`,
    // A server refuses `1+1` without SELECT, but the embedded engine accepts it by default.
    "--implicit_select=0",
  ];
}
