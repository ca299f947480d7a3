/** Where Debian puts Chromium; other systems name their own in the environment. */
export const browserPath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Flags for a browser that shows nothing, asks nobody and runs in a container. */
export const browserFlags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Flags for a browser whose pages share one process, which stays while one of them is open. Else each page starts a
 * process and compiles the app's scripts again: half of the processor time until it shows something.
 */
export const oneProcessFlags = [...browserFlags, "--process-per-site", "--renderer-process-limit=1"];
