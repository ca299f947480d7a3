// The query service replaces four texts of this script when it starts. Keep each on a line of its own.
(() => {
  const DEFAULT_CONFIG = null;
  const DEFAULT_STORAGE_CAPABILITIES = { archiveStorage: false };
  const DEFAULT_VERSION = { gitCommit: "", gitVersion: "", buildDate: "" };
  const TRACING_CONFIG = DEFAULT_CONFIG;
  // TRACING_CONFIG_JS
  // With a .js file given, this line and the one above become that file, which defines UIConfig().
  const TRACING_STORAGE_CAPABILITIES = DEFAULT_STORAGE_CAPABILITIES;
  const TRACING_VERSION = DEFAULT_VERSION;
  window.tracingPage = {
    config: typeof UIConfig === "function" ? UIConfig() : TRACING_CONFIG,
    storageCapabilities: TRACING_STORAGE_CAPABILITIES,
    version: TRACING_VERSION,
  };
  // Before the first paint, so that a chosen theme does not flash in the other one.
  try {
    document.documentElement.dataset.theme = localStorage.getItem("ui.theme") ?? "system";
  } catch {}
})();
