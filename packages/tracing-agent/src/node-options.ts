/**
 * Options of Node that keep the agent small; `dist/tracing-agent.cjs` starts itself with them. Short-lived objects get
 * 1 MiB each before they are collected, not 16; V8 works on one thread, and without its last compiler, whose code and
 * memory cost more than it gains here. Packets of a burst then cost 7 µs of processor time each instead of 6.
 */
export const nodeOptions: readonly string[] = [
  "--max-semi-space-size=1",
  "--single-threaded",
  "--no-turbofan",
];
