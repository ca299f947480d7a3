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
    asked: [],
  };
  // What the page of this address needs is fetched while the app's own scripts are; src/api/early-answers.ts takes it.
  const base = new URL(document.baseURI);
  const [page = "", id = ""] = location.pathname.slice(base.pathname.length).split("/");
  const ask = (path) => {
    const url = new URL(path, base).href;
    const stop = new AbortController();
    const answer = fetch(url, { headers: { accept: "application/json" }, signal: stop.signal });
    answer.catch(() => {});
    window.tracingPage.asked.push({ url, answer, stop });
  };
  if (page === "trace" && /^[0-9a-f]{1,32}$/i.test(id)) {
    ask(`api/traces/${id}`);
  }
  const files = document.querySelector('meta[name="page-files"]')?.content ?? "{}";
  for (const file of JSON.parse(files)[page] ?? []) {
    const link = document.createElement("link");
    link.rel = file.endsWith(".css") ? "preload" : "modulepreload";
    if (link.rel === "preload") {
      link.as = "style";
    }
    link.crossOrigin = "";
    link.href = file;
    document.head.append(link);
  }

  // The theme of the page around a frame; src/links/embedding.ts reads the same fields.
  const fields = new URLSearchParams(location.search);
  const theme = fields.get("uiEmbed") === "v0" ? fields.get("uiTheme") : null;
  // Before the first paint, so that a chosen theme does not flash in the other one. Last, because it waits for the disk.
  try {
    document.documentElement.dataset.theme = /^(light|dark)$/.test(theme)
      ? theme
      : (localStorage.getItem("ui.theme") ?? "system");
  } catch {}
})();
