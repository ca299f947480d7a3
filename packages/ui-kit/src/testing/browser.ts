/** Path of Chromium: Debian's path, unless CHROMIUM_PATH names another. */
export const browserPath = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

/** Flags for a browser without windows and without requests of its own, which runs in a container. */
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
 * Flags for a browser whose pages share one process, which stays while any page is open. Otherwise each page starts a
 * process and compiles the app's scripts again, which takes half of the processor time until the page is visible.
 */
export const oneProcessFlags = [...browserFlags, "--process-per-site", "--renderer-process-limit=1"];
