/** The oldest Node whose V8 has all of these options. */
export const nodeOptionsSince = 26;

/**
 * Options of Node that keep the agent small; `dist/tracing-agent.cjs` starts itself with them. Short-lived objects get
 * 1 MiB each before they are collected, not 16; pages go back to the system at once after a burst; V8 works on one
 * thread, and without its last compiler, whose code and memory cost more than it gains here.
 */
export const nodeOptions: readonly string[] = [
  "--max-semi-space-size=1",
  "--no-memory-pool",
  "--single-threaded",
  "--no-turbofan",
];

/**
 * For glibc's allocator, where it is there: one arena, and free memory at its end goes back to the system. What is set
 * outside comes first.
 */
export const mallocEnvironment: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TOP_PAD_: "65536",
  MALLOC_TRIM_THRESHOLD_: "131072",
};
